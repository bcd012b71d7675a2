# A bicycle for everyday use. It is pushed where walking is permitted but riding is not.
name      bike
modes     bicycle vehicle access
pushed    4 foot access         # km/h: slower than walking without a bicycle
speed_max 25
boarding  180               # seconds
maxspeed  caps
areas     crossed
slopes    ridden 80 90 0.6 1.5   # watts at the wheel, kg, drag in m2; then the largest factor of the speed downhill

[way highway]
cycleway       18
motorway       16 oneway named ridden
motorway_link  16 named ridden
trunk          16
trunk_link     16
primary        16
primary_link   16
secondary      17
secondary_link 17
tertiary       18
tertiary_link  18
unclassified   18
residential    17
living_street  12
service        15
road           16
track          14
path           12
bridleway      8 named
footway        8 named
pedestrian     8 named
busway         16 named ridden
steps          2 named
platform       4 named
ferry          15 ferry   # an old way to tag it

[way route]
ferry          15 ferry
shuttle_train  60 ferry

[way bridge]
movable        5 permit ridden # where no highway says more

[access]
yes            open
designated     open
permissive     open
official       open
public         open
bicycle        open
vehicle        open
optional_sidepath open
discouraged    open
dismount       closed            # that is: pushed
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
use_sidepath   closed
agricultural   closed
forestry       closed
emergency      closed
military       closed
psv            closed
bus            closed
taxi           closed
hov            closed
hgv            closed
goods          closed
motorcycle     closed
moped          closed
mofa           closed
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
motor_vehicle  closed
foot           closed

[barrier]                 # seconds
bollard           open
block             open
cycle_barrier     open 5
motorcycle_barrier open 5
gate              open 10 lockable
lift_gate         open 5 lockable
swing_gate        open 10 lockable
sliding_gate      open 15 lockable
bump_gate         open 5
chain             open 10
rope              open 10
toll_booth        open
border_control    open 30
checkpoint        open 30
sally_port        open 5
cattle_grid       open
entrance          open
kerb              open
height_restrictor open
bus_trap          open
sump_buster       open
jersey_barrier    open
log               open 10
stile             closed
turnstile         closed
kissing_gate      closed
full-height_turnstile closed
wicket_gate       open 10
hampshire_gate    open 15
planter           open
no                open
yes               open      # of an unknown kind: most let those through

[wait highway]            # seconds
traffic_signals   10
stop              2 sign

[speed surface]           # km/h
paving_stones     16
sett              12
unhewn_cobblestone 8
cobblestone       10
compacted         16
fine_gravel       14
gravel            10
pebblestone       8
unpaved           12
dirt              10
earth             10
ground            10
grass             6
mud               4
sand              4
concrete:plates   16
concrete:lanes    14
metal             12
wood              14
woodchips         8
clay              8
rock              4
stepping_stones   4
snow              8
ice               6
grass_paver       8
dirt/sand         6

[speed tracktype]
grade1            18
grade2            14
grade3            12
grade4            9
grade5            6

[speed smoothness]
intermediate      16
bad               12
very_bad          8
horrible          5
very_horrible     4

[slower oneway]           # times as long
alternating       2

[contraflow cycleway]
opposite
opposite_lane
opposite_track
opposite_share_busway

[contraflow cycleway:left]
opposite_lane
opposite_track

[contraflow cycleway:right]
opposite_lane
opposite_track

[contraflow cycleway:left:oneway]
-1
no

[contraflow cycleway:right:oneway]
-1
no

[contraflow cycleway:both:oneway]
no

[closed motorroad]
yes named

[speed mtb:scale]         # of several grades ("1-2") the hardest counts
>1                3       # pushed over roots and stones
>0                6

[closed mtb:scale]
>2

[speed mtb:scale:uphill]
>2                4       # pushed

[speed mtb:scale:imba]
>1                4
>0                8

[closed mtb:scale:imba]
>2

[speed sac_scale]         # narrow, with steep steps; of a track, the other tags say more
~mountain         4 path
~T2               4 path

[closed sac_scale]        # bicycles are not pushed where hikers mind their steps
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

[speed trail_visibility]
bad               6

[closed trail_visibility]
horrible
no

[closed via_ferrata_scale]
no                node way
*

[closed assisted_trail]
yes

[closed safety_rope]
yes

[closed rungs]
yes

[closed ladder]
yes

[closed conveying]        # escalators and moving walks
yes
forward
backward
reversible
both

[closed construction]
yes

[closed impassable]
yes

[closed smoothness]
impassable

[maxspeed]                # 0: no speed is said
signals        0
variable       0
none           25
walk           5
living_street  10
