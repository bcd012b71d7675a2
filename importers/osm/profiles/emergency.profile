# An ambulance or a police car on duty: as a car, but private and forbidden roads, locked gates and pedestrian areas
# are open to it, turns are not forbidden to it, and it passes signals. It keeps to the directions of roads.
like      car
name      emergency
modes     emergency motor_vehicle vehicle access
restrictions own
u_turns   anywhere

[way highway]
track          20
busway         40
pedestrian     15
footway        7 permit

[access]
emergency      open
motorcar       closed
destination    open
customers      open
delivery       open
residents      open
resident       open
guests         open
visitors       open
tenants        open
staff          open
members        open
employees      open
private        open
permit         open
no             destination
agricultural   open
forestry       open
military       destination
psv            open
bus            open
taxi           open
hov            open

[barrier]                 # seconds
gate              open 20
lift_gate         open 10
swing_gate        open 20
sliding_gate      open 20
toll_booth        open
border_control    open
checkpoint        open
bollard:rising    open
bollard:removable open 30

[wait highway]            # seconds
traffic_signals   1
stop              1 sign

[closed service]
!emergency_access
