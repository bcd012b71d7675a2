# A car. A way's speed is its maxspeed where it has one, else its class's; no traffic is assumed.
name      car
modes     motorcar motor_vehicle vehicle access
speed_max 140
boarding  300               # seconds
turn      30  0 0           # degrees at most; seconds to the near side, and across oncoming traffic
turn      60  2 3
turn      120 4 8
turn      179 6 10
turn      180 20 20         # back
u_turns   dead_ends
give_way  3                 # seconds

[way highway]
motorway       110 oneway
motorway_link  60
trunk          90
trunk_link     50
primary        70
primary_link   45
secondary      60
secondary_link 40
tertiary       45
tertiary_link  35
unclassified   40
residential    30
living_street  10
service        15
road           30
track          20 permit
busway         30 named
cycleway       15 named
path           15 named
bridleway      15 named
footway        7 named
pedestrian     7 named
ferry          15 ferry   # an old way to tag it

[way route]
ferry          15 ferry
shuttle_train  60 ferry

[way bridge]
movable        5 permit   # where no highway says more

[access]
yes            open
designated     open
permissive     open
official       open
public         open
motorcar       open
motor_vehicle  open
vehicle        open
discouraged    open
destination    destination
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
agricultural   closed
forestry       closed
emergency      closed
military       closed
psv            closed
bus            closed
taxi           closed
hov            closed
use_sidepath   closed
hgv            closed
goods          closed
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
foot           closed

[barrier]                 # seconds
gate              open 20 lockable
lift_gate         open 10 lockable
swing_gate        open 20 lockable
sliding_gate      open 20 lockable
bump_gate         open 5
toll_booth        open 15
border_control    open 60
checkpoint        open 30
sally_port        open 10
cattle_grid       open
entrance          open
kerb              open
height_restrictor open
no                open
hampshire_gate    open 30
bollard:rising    open 10

[wait highway]            # seconds
traffic_signals   5
stop              2 sign

[speed surface]           # km/h
paving_stones     60
sett              40
unhewn_cobblestone 20
cobblestone       30
compacted         60
fine_gravel       50
gravel            40
pebblestone       30
unpaved           40
dirt              30
earth             30
ground            30
grass             15
mud               10
sand              15
concrete:plates   70
concrete:lanes    40
metal             60
wood              40
clay              20
rock              15
snow              30
ice               20

[speed tracktype]
grade1            60
grade2            40
grade3            30
grade4            20
grade5            10

[speed smoothness]
bad               40
very_bad          20
horrible          10
very_horrible     5

[speed junction]
roundabout        40
mini_roundabout   40
circular          40

[speed highway]           # whatever the sign says: slip roads bend
motorway_link     80
trunk_link        70
primary_link      60
secondary_link    50
tertiary_link     40

[speed width]
<2.5              20
<3                30
<3.5              50

[slower oneway]           # times as long
alternating       2

[slower lanes]            # one lets the other pass
1                 1.2 two_way
1.5               1.1 two_way

[speed sac_scale]         # tracks that are hiking trails
~mountain         10
~T2               10

[closed sac_scale]
~demanding
~alpine
~T3
~T4
~T5
~T6
~hiking           node way  # a grade that is known
~strolling        node way
~T1               node way
~T2               node way
*                 reported

[speed mtb:scale]
>0                10

[closed mtb:scale]
>2

[closed trail_visibility]
horrible
no

[closed via_ferrata_scale]
no                node way
*

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
none           120
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
living_street  10
bicycle_road   30
zone30         30
zone20         20
