# A van for goods of up to 3.5 t: as a car, but higher, and let into what is open to goods.
like      car
name      van
modes     goods motor_vehicle vehicle access
speed_max 130

[limit m]                 # of the vehicle
maxheight          2.8
maxheight:physical 2.8
maxwidth           2.3
maxwidth:physical  2.3
maxlength          7
maxlength:physical 7

[limit t]
maxweight          3.5
maxweightrating    3.5
maxgcweight        3.5
maxgcweightrating  3.5

[access]
goods          open
motorcar       closed

[speed highway]           # whatever the sign says: slip roads bend
motorway_link     70
trunk_link        60
primary_link      50
secondary_link    40
tertiary_link     35

[speed width]
<2.5              10
<3                20
<3.5              40
