# A tractor with a semi-trailer of common European dimensions. For other ones, or dangerous goods, copy this
# file, change the limits, add the sections at its end, and import with --profile PATH.
name      truck
modes     hgv motor_vehicle vehicle access
speed_max 85
boarding  600               # seconds
u_turns   dead_ends

[limit m]                 # of the vehicle
maxheight          4
maxheight:physical 4
maxwidth           2.55
maxwidth:physical  2.55
maxlength          16.5
maxlength:hgv      16.5
maxlength:hgv_articulated 16.5

[limit t]
maxweight          40
maxweight:hgv      40
maxweightrating    40
maxweightrating:hgv 40
maxaxleload        10

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

[way route]
ferry          15 ferry
shuttle_train  60 ferry

[access]
yes            open
designated     open
permissive     open
official       open
public         open
hgv            open
goods          open
motor_vehicle  open
vehicle        open
discouraged    open
destination    destination
local          destination
customers      destination
delivery       destination
residents      destination
resident       destination
guests         destination
visitors       destination
tenants        destination
staff          destination
members        destination
employees      destination
private        destination
permit         destination
no             closed
unsuitable     closed
agricultural   closed
forestry       closed
emergency      closed
military       closed
psv            closed
bus            closed
taxi           closed
hov            closed
use_sidepath   closed
motorcycle     closed
moped          closed
mofa           closed
bicycle        closed
horse          closed
coach          closed
tourist_bus    closed
minibus        closed
share_taxi     closed
carpool        closed
atv            closed
snowmobile     closed
ski            closed
golf_cart      closed
motorhome      closed
trailer        closed
caravan        closed
motorcar       closed
foot           closed

[barrier]                 # seconds
gate              open 40 lockable
lift_gate         open 20 lockable
swing_gate        open 40 lockable
sliding_gate      open 30 lockable
toll_booth        open 30
border_control    open 300
checkpoint        open 60
sally_port        open 20
cattle_grid       open
entrance          open
kerb              open
height_restrictor open    # its maxheight decides
no                open
hampshire_gate    open 60
bollard:rising    open 10

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
<3                10
<3.5              30

[slower oneway]           # times as long
alternating       2

[slower lanes]            # one lets the other pass
1                 1.2 two_way
1.5               1.1 two_way

[closed construction]
yes

[closed service]
emergency_access named

[closed smoothness]
impassable

[closed impassable]
yes

[maxspeed]                # a country's own limits stand before the general ones; 0: no speed is said
signals        0
variable       0
none           85
walk           7
AT:rural       100
AT:trunk       100
BE:motorway    120
BE-BRU:urban   30
BE-VLG:rural   70
BG:motorway    140
BY:urban       60
BY:motorway    110
CH:rural       80
CH:trunk       100
CH:motorway    120
CY:motorway    100
DE:motorway    120        # none: the recommended speed is 130, traffic is slower
DE:rural       100
DK:rural       80
EE:urban       50
ES:motorway    120
ES:trunk       90
FI:rural       80
FI:trunk       100
FI:motorway    120
FR:rural       80
GB:nsl_single  96.56      # 60, 70 and 70 mph
GB:nsl_dual    112.65
GB:motorway    112.65
GB:nsl_restricted 48.28
IE:motorway    120
JP:nsl         60
JP:express     100
KZ:urban       60
LV:motorway    90
MD:trunk       110
MT:rural       80
NL:rural       80
NL:trunk       100
NL:motorway    100
NO:rural       80
NO:motorway    110
PL:trunk       100
PL:motorway    140
PT:trunk       100
PT:motorway    120
RO:trunk       100
RU:urban       60
RU:living_street 20
RU:motorway    110
SE:rural       70
SE:trunk       90
SE:motorway    110
SI:trunk       110
TR:trunk       110
TR:motorway    130
UA:living_street 20
UK:nsl_single  96.56
UK:nsl_dual    112.65
UK:motorway    112.65
UZ:urban       70
UZ:rural       100
UZ:motorway    110
urban          50
rural          90
trunk          110
motorway       130
living_street  7
bicycle_road   30
zone30         30
zone20         20

# Dangerous goods:
#   [closed hazmat]
#   no
#   [closed hazmat:water]
#   no
