# Someone in a wheelchair who moves it by hand or by a motor: no steps, no raised kerbs, no steep, narrow or rough ways.
like         foot
name         wheelchair
modes        wheelchair foot access
speed_max    4

[limit m]                 # of the wheelchair, with the hands that move it
maxwidth          0.81
maxwidth:physical 0.81

[way highway]             # km/h
footway        4
pedestrian     4
path           4
steps          1 own       # with a ramp, as wheelchair=yes says
platform       4
corridor       4
living_street  4
residential    4
service        4
unclassified   4
tertiary       4
secondary      4
primary        4
primary_link   4
trunk          4 named
trunk_link     4 named
road           4
track          3.5
bridleway      3 named
cycleway       4

[way railway]
platform       4

[way public_transport]
platform       4

[way man_made]
pier           4

[access]
wheelchair     open
limited        open 2      # km/h: with help, or with effort
foot           open

[barrier]                 # seconds
gate              open 15 lockable
kissing_gate      closed
stile             closed
turnstile         closed
full-height_turnstile closed
hampshire_gate    closed
wicket_gate       open 15
cycle_barrier     closed
motorcycle_barrier closed
cattle_grid       closed
log               closed
debris            closed
rope              closed
chain             closed
spikes            closed
horse_stile       closed
kerb              open 5
kerb:lowered      open
kerb:flush        open
kerb:no           open

[speed surface]           # km/h
paving_stones     3.5
sett              2.5
unhewn_cobblestone 1
cobblestone       2
compacted         3.5
fine_gravel       2.5
gravel            1.5
unpaved           2
dirt              2
earth             2
ground            2
grass             1.5
grass_paver       1.5
metal             3
wood              3.5

[closed surface]
mud
sand
rock
pebblestone
stepping_stones
woodchips
snow
ice

[speed smoothness]
intermediate      3.5
bad               2

[closed smoothness]
very_bad
horrible
very_horrible

[closed tracktype]
grade4
grade5

[speed incline]           # per cent, up or down
>6                2
>3                3
up                3
down              3

[closed incline]
>12
~steep

[closed width]
<0.9 way                  # of a bollard, it is that of the post

[closed kerb]             # on ways and nodes, whether or not it is a barrier
~raised own
~rolled own
regular own
normal own

[closed kerb:height]      # metres
>0.03 own

[closed kerb:left]        # of a crossing; along a way, the kerbs are beside it
~raised own node
~rolled own node

[closed kerb:right]
~raised own node
~rolled own node

[closed kerb:both]
~raised own node
~rolled own node

[closed sloped_curb]      # an old way to tag kerbs
no own node
>0.03 own node

[closed conveying]        # escalators and moving walks
yes own
forward own
backward own
reversible own
both own

[speed sac_scale]
~hiking           2
~T1               2

[closed sac_scale]
~mountain
~T2
~T3

[speed mtb:scale]
0                 3
0+                2
0-                3
>0                2

[closed mtb:scale]
>1
>0 own

[speed trail_visibility]
intermediate      2

[closed trail_visibility]
bad
horrible
no

[closed via_ferrata_scale]
!0

[closed assisted_trail]
yes

[closed safety_rope]
yes

[closed rungs]
yes

[closed ladder]
yes
