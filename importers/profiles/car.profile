# A car. A way's speed is its maxspeed where it has one, else its class's; no traffic is assumed.
name      car
modes     motorcar motor_vehicle vehicle access
speed_max 140

[way highway]             # motorway_link is not one-way by itself: where it is, it is nearly always tagged so
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

[way route]
ferry          15 ferry
shuttle_train  60 ferry

[access]
yes            open
designated     open
permissive     open
destination    open
customers      open
delivery       open
official       open
public         open
discouraged    open
no             closed
private        closed
agricultural   closed
forestry       closed
emergency      closed
military       closed
permit         closed
residents      closed
psv            closed
bus            closed
taxi           closed
hov            closed
use_sidepath   closed
agricultural;forestry closed

[barrier]
gate             open
lift_gate        open
swing_gate       open
sliding_gate     open
toll_booth       open
cattle_grid      open
entrance         open
border_control   open
sally_port       open
kerb             open
height_restrictor open
checkpoint       open
bump_gate        open
no               open

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
