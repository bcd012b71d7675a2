# A car. A way's speed is its maxspeed where it has one, else its class's; no traffic is assumed.
name      car
modes     motorcar motor_vehicle vehicle access
speed_max 140
boarding  300               # seconds
u_turns   dead_ends

[way highway]
motorway       110 oneway
motorway_link  60 oneway
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

[way route]
ferry          15 ferry
shuttle_train  60 ferry

[access]
yes            open
designated     open
permissive     open
official       open
public         open
discouraged    open
destination    destination
customers      destination
delivery       destination
residents      destination
private        destination
permit         destination
no             closed
agricultural   closed
forestry       closed
agricultural;forestry closed
emergency      closed
military       closed
psv            closed
bus            closed
taxi           closed
hov            closed
use_sidepath   closed

[barrier]                 # seconds
gate              open 20
lift_gate         open 10
swing_gate        open 20
sliding_gate      open 20
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

[speed tracktype]
grade1            60
grade2            40
grade3            30
grade4            20
grade5            10

[slower oneway]           # times as long
alternating       2

[maxspeed]
none           120
walk           7
DE:motorway    120
DE:rural       100
AT:rural       100
AT:trunk       100
CH:rural       80
CH:motorway    120
GB:nsl_single  96.56
GB:nsl_dual    112.65
GB:motorway    112.65
RU:urban       60
urban          50
rural          90
trunk          110
motorway       130
living_street  10
bicycle_road   30
zone30         30
zone20         20
