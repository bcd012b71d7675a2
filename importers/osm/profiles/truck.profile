# A tractor with a semi-trailer of common European dimensions. For other ones, or dangerous goods, copy this
# file, change the limits, add the sections at its end, and import with --profile PATH.
like      car
name      truck
modes     hgv_articulated hgv motor_vehicle vehicle access
speed_max 85
boarding  600               # seconds
turn      30  0  0          # it takes twice as long to brake and to accelerate
turn      60  4  5
turn      120 8  14
turn      179 12 18
turn      180 60 60
give_way  5

[limit m]                 # of the vehicle
maxheight          4
maxheight:physical 4
maxwidth           2.55
maxwidth:physical  2.55
maxlength          16.5
maxlength:physical 16.5

[limit t]
maxweight          40
maxweightrating    40
maxweightrating:goods 40
maxgcweight        40
maxgcweightrating  40
maxunladenweight   14
maxaxleload        10
maxbogieweight     18

[way highway]
motorway       85 oneway
motorway_link  50
trunk          75
trunk_link     45
primary        60
primary_link   40
secondary      50
secondary_link 35
tertiary       40
tertiary_link  30
unclassified   30
residential    20
living_street  7
service        10
road           20
track          15 permit
busway         20 named
cycleway       10 named
path           10 named
bridleway      10 named
footway        5 named
pedestrian     5 named

[access]
hgv            open
goods          open
local          destination
unsuitable     closed
motorcar       closed

[barrier]                 # seconds
gate              open 40 lockable
lift_gate         open 20 lockable
swing_gate        open 40 lockable
sliding_gate      open 30 lockable
toll_booth        open 30
border_control    open 300
checkpoint        open 60
sally_port        open 20
hampshire_gate    open 60
!bump_gate

[wait highway]            # seconds
traffic_signals   10
stop              4 sign

[speed surface]           # km/h
paving_stones     40
sett              30
unhewn_cobblestone 10
cobblestone       20
compacted         40
fine_gravel       30
gravel            20
pebblestone       15
unpaved           20
dirt              15
earth             15
ground            15
grass             5
mud               5
sand              5
concrete:plates   50
concrete:lanes    30
metal             40
wood              20
clay              10
rock              5
snow              20
ice               10

[speed tracktype]
grade1            40
grade2            20
grade3            15
grade4            10
grade5            5

[speed smoothness]
bad               30
very_bad          10
horrible          5
very_horrible     5

[speed junction]
roundabout        30
mini_roundabout   30
circular          30

[speed highway]           # whatever the sign says: slip roads bend
motorway_link     60
trunk_link        55
primary_link      50
secondary_link    40
tertiary_link     30

[speed width]
!<2.5
<3                10
<3.5              30

[maxspeed]
none           85
living_street  7

# Dangerous goods:
#   [closed hazmat]
#   no
#   [closed hazmat:water]
#   no
