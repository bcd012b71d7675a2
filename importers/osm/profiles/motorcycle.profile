# A motorcycle: as a car, but it needs no width, and loose ground slows it down more.
like      car
name      motorcycle
modes     motorcycle motor_vehicle vehicle access

[access]
motorcycle     open
motorcar       closed

[barrier]                 # seconds
height_restrictor open

[speed surface]           # km/h
sett              40
cobblestone       30
fine_gravel       40
gravel            30
pebblestone       20
unpaved           30
dirt              25
earth             25
ground            25
grass             10
mud               5
sand              10
metal             40
wood              30
clay              15
rock              10
snow              15
ice               5

[speed tracktype]
grade2            35
grade3            25
grade4            15
grade5            10

[speed width]
!<2.5
!<3
!<3.5

[slower lanes]
!1
!1.5
