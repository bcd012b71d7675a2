# A bicycle whose motor helps up to 25 km/h (a pedelec): by law a bicycle.
like      bike
name      ebike
slopes    ridden 250 100 0.6 1.4   # watts at the wheel with the motor's, kg, drag in m2

[way highway]
cycleway       22
motorway       20 oneway named ridden
motorway_link  20 named ridden
trunk          21
trunk_link     20
primary        21
primary_link   20
secondary      21
secondary_link 20
tertiary       22
tertiary_link  21
unclassified   22
residential    20
service        17
road           20
track          16
path           14

[speed surface]           # km/h
paving_stones     20
compacted         19
fine_gravel       17
gravel            12
unpaved           14
dirt              12
earth             12
ground            12
