# A racing bicycle: fast where the ground is smooth, slow elsewhere.
like      bike
name      racingbike
speed_max 45
slopes    ridden 180 85 0.4 1.8    # watts at the wheel, kg, drag in m2

[way highway]
cycleway       25
motorway       26 oneway named ridden
motorway_link  26 named ridden
trunk          26
trunk_link     26
primary        27
primary_link   26
secondary      27
secondary_link 26
tertiary       27
tertiary_link  26
unclassified   26
residential    22
service        16
road           22
track          12
path           10

[speed surface]           # km/h
paving_stones     18
sett              10
unhewn_cobblestone 5
cobblestone       7
compacted         14
fine_gravel       10
gravel            6
pebblestone       5
unpaved           8
dirt              6
earth             6
ground            6
grass             4
concrete:plates   22
concrete:lanes    16

[speed tracktype]
grade1            22
grade2            12
grade3            6
grade4            5
grade5            4

[speed smoothness]
good              27
intermediate      20
bad               10
very_bad          4
horrible          4

[speed mtb:scale]
>0                4
0                 8
0+                8
0-                8

[closed mtb:scale]
>1

[speed sac_scale]
~mountain         4 path
~T2               4 path
~hiking           6 path
~T1               6 path

[speed trail_visibility]
intermediate      6
bad               4
