# Someone who walks. One-way rules and turn restrictions are not for pedestrians unless they say so.
name         foot
modes        foot access
speed_max    5
boarding     180            # seconds
maxspeed     ignored
oneway       ignored
restrictions own
areas        crossed
slopes       walked

[way highway]             # km/h
footway        5
pedestrian     5
path           5
steps          2.5
platform       4.5
corridor       4.5
elevator       1
living_street  5
residential    5
service        5
unclassified   5
tertiary       5
tertiary_link  5
secondary      5
secondary_link 5
primary        5
primary_link   5
trunk          5
motorway       5 named
motorway_link  5 named
trunk_link     5
road           5
track          5
bridleway      5
cycleway       5
busway         5 permit
ferry          15 ferry    # an old way to tag it

[way route]
ferry          15 ferry

[way railway]
platform       4.5

[way public_transport]
platform       4.5

[way man_made]
pier           5

[way bridge]
movable        5 permit    # where no highway says more

[access]
yes            open
designated     open
permissive     open
official       open
public         open
foot           open
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
motor_vehicle  closed
vehicle        closed

[barrier]                 # seconds
gate              open 5 lockable
lift_gate         open lockable
swing_gate        open lockable
sliding_gate      open 10 lockable
kissing_gate      open 5
hampshire_gate    open 10
wicket_gate       open 5
stile             open 10
turnstile         open 5
full-height_turnstile open 5
toll_booth        open
border_control    open 30
checkpoint        open 30
sally_port        open
cattle_grid       open
cycle_barrier     open
motorcycle_barrier open
debris            open 10
rope              open 5
chain             open 5
log               open 5
block             open
bollard           open
jersey_barrier    open
bus_trap          open
sump_buster       open
entrance          open
kerb              open
height_restrictor open
bump_gate         open
spikes            open
horse_stile       open 5
planter           open
no                open
yes               open      # of an unknown kind: most let those through

[wait highway]            # seconds
traffic_signals   15

[speed surface]           # km/h
mud               3
sand              3

[speed sac_scale]         # of hikers without climbing gear
~demanding        3
~mountain         4
~T3               3
~T2               4

[closed sac_scale]        # hands, a head for heights, or gear
~alpine
~T4
~T5
~T6
~hiking           node way  # a grade that is known
~strolling        node way
~T1               node way
~T2               node way
~T3               node way
*                 reported

[speed mtb:scale]         # where no sac_scale says more
>3                3
>2                4

[speed trail_visibility]
bad               4
horrible          2
no                1.5

[speed via_ferrata_scale] # 0: a path with a rope to hold on to
0                 2

[closed via_ferrata_scale]
0                 node way
no                node way
*

[closed motorroad]
yes named

[closed construction]
yes

[closed impassable]
yes
