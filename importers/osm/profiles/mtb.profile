# A mountain bicycle: at home on tracks and paths; scales of difficulty as in the wiki's Key:mtb:scale.
like      bike
name      mtb
slopes    ridden 120 90 0.5 1.8    # watts at the wheel, kg, drag in m2

[way highway]
trunk          15
primary        16
secondary      16
tertiary       17
unclassified   17
track          16
path           14
bridleway      12 named

[speed surface]           # km/h
cobblestone       12
compacted         17
fine_gravel       16
gravel            14
pebblestone       12
unpaved           15
dirt              14
earth             14
ground            14
grass             10
mud               7
sand              6
rock              8

[speed tracktype]
grade2            17
grade3            15
grade4            13
grade5            10

[speed smoothness]
bad               15
very_bad          13
horrible          10
very_horrible     6

[speed mtb:scale]         # of several grades ("1-2") the hardest counts
>2                5
>1                8
>0                12
0                 15
0+                15
0-                15

[closed mtb:scale]
!>2
>3

[speed mtb:scale:uphill]
!>2
>3                4       # pushed

[speed mtb:scale:imba]
>2                5
>1                8
>0                12

[closed mtb:scale:imba]
!>2
>3

[speed sac_scale]
~demanding        3
~mountain         8
~T3               3
~T2               8

[closed sac_scale]
!~demanding
~T4
~T5
~T6
~T3               node way

[speed trail_visibility]
bad               8
horrible          4

[closed trail_visibility]
!horrible
