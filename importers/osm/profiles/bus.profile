# A bus of 12 m: let into what is open to buses or to public service vehicles, and not into what is too low for it.
like      car
name      bus
modes     bus psv motor_vehicle vehicle access
speed_max 100
boarding  600               # seconds
turn      30  0  0          # it takes longer to brake and to accelerate
turn      60  3  4
turn      120 6  11
turn      179 9  14
turn      180 60 60

[limit m]                 # of the vehicle
maxheight          3.5
maxheight:physical 3.5
maxwidth           2.55
maxwidth:physical  2.55
maxlength          12
maxlength:physical 12

[limit t]
maxweight          18
maxweightrating    18
maxgcweight        18
maxgcweightrating  18
maxaxleload        11.5

[way highway]
motorway       100 oneway
trunk          80
busway         40

[access]
bus            open
psv            open
coach          open
tourist_bus    open
motorcar       closed

[barrier]                 # seconds
bus_trap          open 5
toll_booth        open 30

[speed junction]
roundabout        30
mini_roundabout   20
circular          30

[speed width]
!<2.5
<3                15
<3.5              30

[contraflow busway]
opposite_lane

[maxspeed]
none           100
