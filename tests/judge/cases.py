"""Cases of traffic rules, each decided from the OpenStreetMap wiki before it was run.

A case is a map of its own: a direct way from node 2 to node 4 over node 3, and a detour over node 6 that is three times
as long. A line of a table: profile | tags | options | expected. Tags are joined by " + "; those of the direct way stand
as they are, @ marks those of node 3, > those of a restriction from way 1 over node 2 into the direct way (only_*: into
the detour), all: those of the direct way and the detour. Without highway, the direct way is a residential road, but a
ferry if it has a route. Expected is direct, detour, none, a duration of the direct way, such as 3600 s, or a speed on
it, such as 30 km/h. Options are those of the command; "back" goes from node 5 to node 1. A line that begins with #
names the page that decides.
"""

VEHICLE = """
# Conditional restrictions: vehicle properties, in tonnes and metres; a truck of 40 t, 4 m, 2.55 m, 16.5 m, 10 t an axle
truck | hgv:conditional=no @ (weight>7.5) | | detour
truck | hgv:conditional=no @ (weight>44) | | direct
truck | hgv:conditional=no @ weight>7.5 | | detour
truck | hgv:conditional=no @ (weight > 7.5) | | detour
truck | hgv:conditional=no@(weight>7.5) | | detour
truck | hgv:conditional=no @ (weight>7.5 t) | | detour
truck | hgv:conditional=no @ (weight>7.5t) | | detour
truck | hgv:conditional=no @ (weight>7,5) | | detour
truck | hgv:conditional=no @ (weight>7500 kg) | | detour
truck | hgv:conditional=no @ (weight>=40) | | detour
truck | hgv:conditional=no @ (weight>40) | | direct
truck | hgv:conditional=no @ (weight<40) | | direct
truck | hgv:conditional=no @ (weight<=40) | | detour
truck | hgv:conditional=no @ (length>12) | | detour
truck | hgv:conditional=no @ (length>12 m) | | detour
truck | hgv:conditional=no @ (length>18.75) | | direct
truck | hgv:conditional=no @ (length>40 ft) | | detour
truck | hgv:conditional=no @ (width>2.5) | | detour
truck | hgv:conditional=no @ (width>2.6) | | direct
truck | hgv:conditional=no @ (height>3.8) | | detour
truck | hgv:conditional=no @ (height>12'6") | | detour
truck | hgv:conditional=no @ (height>4.2) | | direct
truck | hgv:conditional=no @ (axleload>8) | | detour
truck | hgv:conditional=no @ (axleload>11.5) | | direct
truck | access:conditional=no @ (weight>7.5) | | detour
truck | vehicle:conditional=no @ (weight>7.5) | | detour
truck | motor_vehicle:conditional=no @ (height>3.5) | | detour
truck | motor_vehicle:conditional=private @ (weight>7.5) | | detour
truck | hgv:conditional=destination @ (weight>7.5) | | detour
truck | hgv:conditional=delivery @ (weight>7.5) | | detour
truck | hgv:conditional=no @ (weight>7.5 AND length>12) | | detour
truck | hgv:conditional=no @ (weight>7.5 AND length>20) | | direct
truck | hgv:conditional=no @ (weight>7.5 and length>12) | | detour
truck | hgv:conditional=no @ (length>20); no @ (weight>7.5) | | detour
truck | hgv:conditional=no @ (length>20);no @ (weight>44) | | direct
truck | hgv:conditional=no @ (weight>7.5); yes @ (length>12) | | direct
truck | hgv=no + hgv:conditional=yes @ (weight>7.5) | | direct
truck | hgv=no + hgv:conditional=yes @ (weight<=7.5) | | detour
truck | hgv:forward:conditional=no @ (weight>7.5) | | detour
truck | hgv:forward:conditional=no @ (weight>7.5) | back | direct
truck | hgv:backward:conditional=no @ (weight>7.5) | back | detour
truck | motor_vehicle=no + hgv:conditional=yes @ (weight>7.5) | | direct
truck | hgv=yes + motor_vehicle:conditional=no @ (weight>7.5) | | direct
van | hgv:conditional=no @ (weight>2.8) | | direct
van | goods:conditional=no @ (weight>2.8) | | detour
van | motor_vehicle:conditional=no @ (weight>3.5) | | direct
van | motor_vehicle:conditional=no @ (height>2.5) | | detour
van | motor_vehicle=no + motor_vehicle:conditional=yes @ (weight<=3.5) | | direct
bus | hgv:conditional=no @ (weight>7.5) | | direct
bus | bus:conditional=no @ (length>10) | | detour
bus | psv:conditional=no @ (length>15) | | direct
bus | motor_vehicle:conditional=no @ (weight>12) | | detour
bus | psv:conditional=no @ (axleload>10) | | detour
car | motor_vehicle:conditional=no @ (weight>3.5) | | direct
car | motor_vehicle:conditional=no @ (height>3.5) | | direct
car | hgv:conditional=no @ (weight>3.5) | --vehicle-weight 5 | direct
bike | vehicle:conditional=no @ (weight>3.5) | | direct
foot | access:conditional=no @ (weight>3.5) | | direct
# Conditional restrictions; a query that names the vehicle
car | motor_vehicle:conditional=no @ (weight>3.5) | --vehicle-weight 5 | detour
car | motor_vehicle:conditional=no @ (weight>3.5) | --vehicle-weight 3 | direct
car | access:conditional=no @ (height>2) | --vehicle-height 2.2 | detour
car | access:conditional=no @ (height>2) | --vehicle-height 1.8 | direct
car | vehicle:conditional=no @ (length>6) | --vehicle-length 7 | detour
car | vehicle:conditional=no @ (length>6) | --vehicle-length 5 | direct
car | motorcar:conditional=no @ (width>2.2) | --vehicle-width 2.3 | detour
car | motorcar:conditional=no @ (axleload>3) | --axle-load 4 | detour
car | motor_vehicle:conditional=no @ (weight>3.5 AND Mo-Fr 07:00-19:00) | --vehicle-weight 5 --departure Mo08:15 | detour
car | motor_vehicle:conditional=no @ (weight>3.5 AND Mo-Fr 07:00-19:00) | --vehicle-weight 5 --departure Su08:15 | direct
car | maxspeed:conditional=5 @ (weight>7.5) | --vehicle-weight 8 | detour
car | maxspeed:conditional=5 @ (weight>7.5) | --vehicle-weight 7 | direct
car | >restriction:conditional=no_straight_on @ (weight>7.5) | --vehicle-weight 8 | detour
car | >restriction:conditional=no_straight_on @ (weight>7.5) | --vehicle-weight 7 | direct
truck | hgv:conditional=no @ (length>17) | --vehicle-length 18 | detour
# Conditional restrictions: a property AND hours
truck | hgv:conditional=no @ (weight>7.5 AND Mo-Fr 07:00-19:00) | --departure Mo08:15 | detour
truck | hgv:conditional=no @ (weight>7.5 AND Mo-Fr 07:00-19:00) | --departure Su08:15 | direct
truck | hgv:conditional=no @ (weight>7.5 AND Mo-Fr 07:00-19:00) | | direct
truck | hgv:conditional=no @ (weight>44 AND Mo-Fr 07:00-19:00) | --departure Mo08:15 | direct
truck | hgv:conditional=no @ (22:00-06:00 AND weight>7.5) | --departure Mo23:00 | detour
truck | hgv:conditional=no @ (22:00-06:00 AND weight>7.5) | --departure Mo12:00 | direct
truck | access:conditional=no @ (weight>7.5 AND Sa,Su) | --departure Sa12:00 | detour
truck | hgv:conditional=no @ (weight>7.5); yes @ (weight>7.5 AND Sa) | --departure Sa12:00 | direct
truck | hgv:conditional=no @ (weight>7.5); yes @ (weight>7.5 AND Sa) | --departure Mo12:00 | detour
truck | maxspeed:conditional=3 @ (weight>7.5 AND Mo-Fr) | --departure Mo12:00 | detour
truck | maxspeed:conditional=3 @ (weight>7.5 AND Mo-Fr) | --departure Sa12:00 | direct
truck | >restriction:conditional=no_straight_on @ (weight>7.5 AND Mo-Fr) | --departure Mo12:00 | detour
truck | >restriction:conditional=no_straight_on @ (weight>7.5 AND Mo-Fr) | --departure Sa12:00 | direct
# Conditional restrictions: speeds and turns
truck | maxspeed:conditional=3 @ (weight>7.5) | | detour
truck | maxspeed:conditional=3 @ (weight>44) | | direct
truck | maxspeed:hgv:conditional=3 @ (weight>7.5) | | detour
truck | maxspeed:conditional=3 @ (length>12) | | detour
truck | maxspeed:forward:conditional=3 @ (weight>7.5) | | detour
truck | maxspeed:forward:conditional=3 @ (weight>7.5) | back | direct
truck | maxspeed=30 + maxspeed:conditional=20 @ (weight>7.5) | | 20 km/h
truck | maxspeed=30 + maxspeed:conditional=20 @ (weight>44) | | 30 km/h
van | maxspeed:conditional=5 @ (weight>7.5) | | direct
bus | maxspeed:conditional=5 @ (weight>7.5) | | detour
truck | >restriction:conditional=no_straight_on @ (weight>7.5) | | detour
truck | >restriction:conditional=no_straight_on @ (weight>44) | | direct
truck | >restriction:hgv:conditional=no_straight_on @ (length>12) | | detour
truck | >restriction:conditional=only_left_turn @ (height>3.5) | | detour
van | >restriction:conditional=only_left_turn @ (height>3.5) | | direct
van | >restriction:conditional=no_straight_on @ (weight>7.5) | | direct
bus | >restriction:conditional=no_straight_on @ (length>10) | | detour
# Conditional restrictions on nodes
truck | @barrier=lift_gate + @hgv:conditional=no @ (weight>7.5) | | detour
truck | @barrier=lift_gate + @hgv:conditional=no @ (weight>44) | | direct
car | @barrier=lift_gate + @hgv:conditional=no @ (weight>3.5) | | direct
# The pages above, drawn again
truck | hgv:conditional=no @ ( weight>7.5 ) | | detour
truck | hgv:conditional=no @ (weight > 7.5 t AND Mo-Sa 06:00-20:00) | --departure Mo12:00 | detour
truck | hgv:conditional=no @ weight>7.5 AND length>12 | | detour
truck | hgv:conditional=no @ weight>7.5 AND length>20 | | direct
truck | bicycle:conditional=no @ (weight>1) | | direct
truck | hgv:conditional=no @ (weight>16000 lbs) | | detour
truck | hgv:conditional=no @ (weight>7.5 st) | | detour
truck | hgv:conditional=no @ (weight>50 st) | | direct
truck | hgv:conditional=no @ (height>3800 mm) | | detour
truck | hgv:conditional=no @ (axleload>8 t) | | detour
truck | hgv:conditional=no @ (weight>7.5); destination @ (weight>7.5 AND 06:00-10:00) | --departure Mo08:00 | detour
truck | hgv:conditional=no @ (Mo-Fr 07:00-09:00); no @ (weight>44) | --departure Mo08:00 | detour
truck | hgv:conditional=no @ (Mo-Fr 07:00-09:00); no @ (weight>7.5) | | detour
truck | hgv:conditional=no @ (Mo-Fr 07:00-09:00); no @ (weight>44) | | direct
truck | hgv:conditional=no @ (weight>7.5 AND Mo-Fr 07:00-09:00,16:00-18:00) | --departure Tu17:00 | detour
truck | hgv:conditional=no @ (weight>7.5 AND Mo-Fr 07:00-09:00,16:00-18:00) | --departure Tu12:00 | direct
truck | hgv=destination + hgv:conditional=yes @ (weight<=40) | | direct
truck | access=no + access:conditional=yes @ (weight>20) | | direct
truck | access=private + hgv:conditional=yes @ (length<12) | | detour
truck | hgv:conditional=no @ (weight>7.5 AND Mo-Fr) | --departure Sa12:00 | direct
truck | motor_vehicle:forward:conditional=no @ (height>3.5) | | detour
truck | motor_vehicle:backward:conditional=no @ (height>3.5) | | direct
van | maxspeed:conditional=3 @ (weight>2.8) | | detour
van | hgv:conditional=yes @ (weight<=3.5) + motor_vehicle=no | | detour
taxi | motor_vehicle:conditional=no @ (weight>3.5) | | direct
moped | motor_vehicle:conditional=no @ (weight>3.5) | | direct
motorcycle | vehicle:conditional=no @ (length>8) | | direct
truck | maxweight:conditional=7.5 @ (Mo-Fr 07:00-19:00) | --departure Mo12:00 | detour
truck | maxweight:conditional=7.5 @ (Mo-Fr 07:00-19:00) | --departure Su12:00 | direct
truck | maxheight:conditional=3.5 @ (22:00-06:00) | --departure Mo23:00 | detour
truck | oneway:conditional=yes @ (weight>7.5) | back | detour
car | oneway:conditional=yes @ (weight>7.5) | back | direct
truck | @barrier=gate + @access:conditional=no @ (weight>7.5) | | detour
truck | @railway=level_crossing + @hgv:conditional=no @ (length>12) | | detour
car | @barrier=lift_gate + @access:conditional=no @ (height>2) | --vehicle-height 2.2 | detour
car | @barrier=lift_gate + @access:conditional=no @ (height>2) | --vehicle-height 1.9 | direct
truck | all:hgv:conditional=no @ (weight>7.5) | | none
truck | all:route=ferry + all:motor_vehicle=yes + all:hgv:conditional=no @ (length>12) | | none
truck | >restriction:conditional=no_straight_on @ (weight>7.5 t) | | detour
truck | >restriction:conditional=only_left_turn @ (weight>7.5 AND length>12) | | detour
truck | >restriction:conditional=only_left_turn @ (weight>7.5 AND length>18) | | direct
truck | >restriction:conditional=no_straight_on @ (weight>7.5); none @ (Sa) | --departure Sa12:00 | direct
truck | >restriction:conditional=no_straight_on @ (weight>7.5); none @ (Sa) | | detour
car | >restriction:conditional=no_straight_on @ (height>2) | --vehicle-height 2.5 | detour
car | >restriction=no_straight_on + >restriction:conditional=none @ (weight<3) | --vehicle-weight 2 | direct
truck | maxspeed:conditional=3 @ (weight>7.5); 30 @ (weight>7.5 AND Su) | --departure Su12:00 | direct
truck | maxspeed:conditional=3 @ (axleload>8) | | detour
truck | maxspeed:hgv:forward:conditional=3 @ (weight>7.5) | | detour
car | maxspeed:conditional=3 @ (length>6) | --vehicle-length 7 | detour
car | maxspeed:conditional=3 @ (weight>7.5 AND Mo-Fr) | --vehicle-weight 8 --departure Mo12:00 | detour
car | maxspeed:conditional=3 @ (weight>7.5 AND Mo-Fr) | --vehicle-weight 8 --departure Su12:00 | direct
"""

NUMBERS = """
# Map features/Units: metres; its common mistakes; of several values the strictest; a truck of 4 m, 2.55 m, 16.5 m, 40 t
truck | maxheight=3,5 | | detour
truck | maxheight=4,5 | | direct
truck | maxheight=3.5;4.2 | | detour
truck | maxheight=4.2;3.5 | | detour
truck | maxheight=4.5;4.2 | | direct
truck | maxheight=4.2 m;3.5 m | | detour
truck | maxheight=12'-6" | | detour
truck | maxheight=15'-6" | | direct
truck | maxheight=12' 6" | | detour
truck | maxheight=15' 6" | | direct
truck | maxheight=12'6 | | detour
truck | maxheight=12′6″ | | detour
truck | maxheight=12’6” | | detour
truck | maxheight=15′6″ | | direct
truck | maxheight=12'6'' | | detour
truck | maxheight=12 ft 6 in | | detour
truck | maxheight=15 ft 6 in | | direct
truck | maxheight=12ft 6in | | detour
truck | maxheight=12 feet 6 inches | | detour
truck | maxheight=13 ft | | detour
truck | maxheight=14 ft | | direct
truck | maxheight=13 feet | | detour
truck | maxheight=13' | | detour
truck | maxheight=14' | | direct
truck | maxheight=150" | | detour
truck | maxheight=150 in | | detour
truck | maxheight=2,75 m | | detour
truck | maxheight=3.8m | | detour
truck | maxheight=3.8 M | | detour
truck | maxheight=3.8 metres | | detour
truck | maxheight=4.2 meters | | direct
truck | maxheight=380 cm | | detour
truck | maxheight=420 cm | | direct
truck | maxheight=420cm | | direct
truck | maxheight=3800 mm | | detour
truck | maxheight=3m80 | | detour
truck | maxheight=foo | | detour
truck | maxheight=?? | | detour
car | maxheight=foo | | direct
truck | maxheight=none | | direct
truck | maxheight=default | | direct
truck | maxheight=unsigned | | direct
truck | maxheight=no_indications | | direct
truck | maxheight:physical=3,5 | | detour
truck | maxheight:forward=3,5 | | detour
truck | maxheight:forward=3,5 | back | direct
car | maxheight=2,75 m | --vehicle-height 2.9 | detour
car | maxheight=2,75 m | --vehicle-height 2.6 | direct
car | maxheight=6 ft 6 in | --vehicle-height 2.1 | detour
truck | @barrier=height_restrictor + @maxheight=3,5 | | detour
truck | @barrier=height_restrictor + @maxheight=12'-6" | | detour
truck | @barrier=height_restrictor + @maxheight=15 ft 6 in | | direct
bus | maxheight=3,2 | | detour
bus | maxheight=3,8 | | direct
van | maxheight=2,5 | | detour
# Map features/Units: tonnes; lb, st, lt, cwt
truck | maxweight=18 tons | | detour
truck | maxweight=18 tonnes | | detour
truck | maxweight=18 ton | | detour
truck | maxweight=18T | | detour
truck | maxweight=60 tons | | direct
truck | maxweight=30000 lb | | detour
truck | maxweight=30000 lbs | | detour
truck | maxweight=30000lbs | | detour
truck | maxweight=30,000 lbs | | detour
truck | maxweight=100000 lb | | direct
truck | maxweight=10 lt | | detour
truck | maxweight=42 lt | | direct
truck | maxweight=20 st | | detour
truck | maxweight=50 st | | direct
truck | maxweight=43 st | | detour
truck | maxweight=300 cwt | | detour
truck | maxweight=7,5 | | detour
truck | maxweight=7,5 t | | detour
truck | maxweight=7500 kg | | detour
truck | maxweight=50000 kg | | direct
truck | maxweight=38;44 | | detour
truck | maxweight=7.5 t;3.5 t | | detour
truck | maxweight=heavy | | detour
truck | maxweight=none | | direct
truck | maxweight:hgv=18 tons | | detour
truck | maxweight:backward=18 tons | back | detour
car | maxweight=3 tons | --vehicle-weight 5 | detour
car | maxweight=8000 lbs | --vehicle-weight 3 | direct
bus | maxweight=12 tons | | detour
van | maxweight=2,8 | | detour
truck | maxweightrating=7,5 | | detour
truck | maxweightrating=16500 lbs | | detour
truck | maxaxleload=8,5 | | detour
truck | maxaxleload=11,5 | | direct
truck | maxaxleload=8 tons | | detour
truck | maxaxleload=20000 lbs | | detour
truck | maxwidth=2,3 | | detour
truck | maxwidth=2,75 | | direct
truck | maxwidth=8' | | detour
truck | maxwidth=9' | | direct
truck | maxwidth=7 ft 6 in | | detour
truck | maxwidth=230 cm | | detour
truck | maxlength=12 metres | | detour
truck | maxlength=12,5 | | detour
truck | maxlength=40 ft | | detour
truck | maxlength=60 ft | | direct
truck | maxlength=39'-6" | | detour
truck | @barrier=bollard + @hgv=yes + @maxwidth=2,3 | | detour
# Key:duration: hh:mm, minutes, hh:mm:ss, ISO 8601; and what mappers write
car | route=ferry + motor_vehicle=yes + duration=01:00 | | 3600 s
car | route=ferry + motor_vehicle=yes + duration=1:30 | | 5400 s
car | route=ferry + motor_vehicle=yes + duration=90 | | 5400 s
car | route=ferry + motor_vehicle=yes + duration=00:45:30 | | 2730 s
car | route=ferry + motor_vehicle=yes + duration=PT1H | | 3600 s
car | route=ferry + motor_vehicle=yes + duration=PT1H30M | | 5400 s
car | route=ferry + motor_vehicle=yes + duration=PT20M | | 1200 s
car | route=ferry + motor_vehicle=yes + duration=P1D | | 86400 s
car | route=ferry + motor_vehicle=yes + duration=1h | | 3600 s
car | route=ferry + motor_vehicle=yes + duration=1 h | | 3600 s
car | route=ferry + motor_vehicle=yes + duration=2 hours | | 7200 s
car | route=ferry + motor_vehicle=yes + duration=60 min | | 3600 s
car | route=ferry + motor_vehicle=yes + duration=20min | | 1200 s
car | route=ferry + motor_vehicle=yes + duration=45 minutes | | 2700 s
car | route=ferry + motor_vehicle=yes + duration=1h30 | | 5400 s
car | route=ferry + motor_vehicle=yes + duration=1h 30min | | 5400 s
car | route=ferry + motor_vehicle=yes + duration=1 h 30 min | | 5400 s
car | route=ferry + motor_vehicle=yes + duration=1.5 h | | 5400 s
foot | route=ferry + foot=yes + duration=1h | | 3600 s
# Key:incline: per cent or degrees; tan(10°) is 18 %, tan(8°) 14 %, tan(5°) 9 %; a wheelchair up to 12 %
wheelchair | highway=footway + incline=10° | | detour
wheelchair | highway=footway + incline=8° | | detour
wheelchair | highway=footway + incline=-8° | | detour
wheelchair | highway=footway + incline=8 ° | | detour
wheelchair | highway=footway + incline=5° | | direct
wheelchair | highway=footway + incline=15% | | detour
wheelchair | highway=footway + incline=15 % | | detour
wheelchair | highway=footway + incline=-15% | | detour
wheelchair | highway=footway + incline=15,5 % | | detour
wheelchair | highway=footway + incline=10% | | direct
wheelchair | highway=footway + incline=4,5% | | direct
# Key:width; a wheelchair of 0.9 m
wheelchair | highway=footway + width=0,8 | | detour
wheelchair | highway=footway + width=1,2 | | direct
wheelchair | highway=footway + width=80 cm | | detour
wheelchair | highway=footway + width=0.8 m | | detour
wheelchair | highway=footway + width=2 ft | | detour
wheelchair | highway=footway + width=2'6" | | detour
wheelchair | highway=footway + width=4' | | direct
# Key:maxspeed: km/h, mph, kph; of several values the strictest
car | highway=primary + maxspeed=50;30 | | 30 km/h
car | highway=primary + maxspeed=30;50 | | 30 km/h
car | highway=primary + maxspeed=30 km/h | | 30 km/h
car | highway=primary + maxspeed=30 kph | | 30 km/h
car | highway=primary + maxspeed=30km/h | | 30 km/h
car | highway=primary + maxspeed=20 mph | | 32.187 km/h
car | highway=primary + maxspeed=20mph | | 32.187 km/h
# The pages above, drawn again
truck | maxheight=<3.5 | | detour
truck | maxheight=3..5 | | detour
truck | maxheight=~3.5 | | detour
truck | maxheight=3.5-4.5 | | detour
truck | maxheight=3.50 m | | detour
truck | maxheight=3.8 m | | detour
truck | maxheight=13'-0" | | detour
truck | maxheight=14'-0" | | direct
truck | maxheight=13'6 | | direct
truck | maxheight=13 ft 1 in | | detour
truck | maxheight=13 ft 2 in | | direct
truck | maxheight=11' 10'' | | detour
truck | maxheight=3,8;4,5 | | detour
truck | maxheight=4.5;none | | direct
truck | maxheight=none;3.5 | | detour
truck | maxheight= 3.5  | | detour
truck | maxwidth=8 ft 6 in | | direct
truck | maxwidth=8'4" | | detour
truck | maxwidth=102" | | direct
truck | maxwidth=100 in | | detour
truck | maxlength=53' | | detour
truck | maxlength=55' | | direct
truck | maxweight=88000 lbs | | detour
truck | maxweight=88500 lbs | | direct
truck | maxweight=40000 kg | | direct
truck | maxweight=39999 kg | | detour
truck | maxweight=80,000 lbs | | detour
truck | maxweight=100,000 lb | | direct
truck | maxweight=12 Tons | | detour
truck | maxweight=12TONNES | | detour
truck | maxweight=3.5 tons;7.5 tons | | detour
truck | maxweight=7.5 t. | | detour
truck | maxweight=3.5-7.5 | | detour
truck | maxweight=unsigned | | direct
truck | maxaxleload=9.9 t | | detour
truck | maxaxleload=10.5 tonnes | | direct
car | maxheight=foo | --vehicle-height 4 | detour
car | maxheight=1,9 m | --vehicle-height 2 | detour
truck | maxheight=3.5 metre | | detour
truck | @maxheight=3,5 | | detour
truck | @bridge=yes + @maxheight=12 ft | | detour
car | route=ferry + motor_vehicle=yes + duration=01:00:00 | | 3600 s
car | route=ferry + motor_vehicle=yes + duration=0:05 | | 300 s
car | route=ferry + motor_vehicle=yes + duration=5 mins | | 300 s
car | route=ferry + motor_vehicle=yes + duration=1 hour | | 3600 s
car | route=ferry + motor_vehicle=yes + duration=1hr | | 3600 s
car | route=ferry + motor_vehicle=yes + duration=1 hour 15 minutes | | 4500 s
car | route=ferry + motor_vehicle=yes + duration=1.5 hours | | 5400 s
car | route=ferry + motor_vehicle=yes + duration=1,5 h | | 5400 s
car | route=ferry + motor_vehicle=yes + duration=PT90S | | 90 s
car | route=ferry + motor_vehicle=yes + duration=P0DT1H | | 3600 s
car | route=ferry + motor_vehicle=yes + duration=75 Min | | 4500 s
wheelchair | highway=footway + incline=12.5% | | detour
wheelchair | highway=footway + incline=7° | | detour
wheelchair | highway=footway + incline=6.5° | | direct
wheelchair | highway=footway + incline=-10° | | detour
wheelchair | highway=footway + incline=1:5 | | detour
wheelchair | highway=footway + incline=5;15% | | detour
wheelchair | highway=footway + width=35 in | | detour
wheelchair | highway=footway + width=36 in | | direct
wheelchair | highway=footway + width=1.5;0.7 | | detour
car | highway=primary + maxspeed=30 mph;20 mph | | 32.187 km/h
car | highway=primary + maxspeed=30 KM/H | | 30 km/h
wheelchair | highway=footway + footway=crossing + @kerb:height=6 cm | | detour
wheelchair | highway=footway + footway=crossing + @kerb:height=3 in | | detour
wheelchair | highway=footway + footway=crossing + @kerb:height=0.5 in | | direct
wheelchair | highway=footway + footway=crossing + @kerb:height=0,02 | | direct
wheelchair | highway=footway + footway=crossing + @kerb:height=20 mm | | direct
wheelchair | highway=footway + footway=crossing + @kerb:height=150 mm | | detour
truck | maxgcweight=18 tons | | detour
truck | maxgcweightrating=40000 lbs | | detour
truck | hgv_articulated=delivery | | detour
truck | motor_vehicle=no + hgv_articulated=yes | | direct
truck | hgv:conditional=no @ (Mo-Fr) + hgv_articulated=yes | --departure Mo12:00 | direct
car | maxspeed:advisory=10 mph | | 16.093 km/h
"""

CLASSES = """
# Key:maxgcweight, Key:maxgcweightrating: of the combination
truck | maxgcweight=18 | | detour
truck | maxgcweight=44 | | direct
truck | maxgcweight=20 st | | detour
truck | maxgcweight=18,5 t | | detour
truck | maxgcweightrating=18 | | detour
truck | maxgcweightrating=44 | | direct
truck | maxgcweightrating=7500 kg | | detour
truck | maxgcweight:forward=18 | back | direct
truck | maxgcweight=44 | --vehicle-weight 50 | detour
bus | maxgcweight=12 | | detour
van | maxgcweightrating=7.5 | | direct
truck | maxweightrating:hgv=7.5 | | detour
bus | maxweightrating:hgv=7.5 | | direct
truck | maxweight:hgv=7.5 | | detour
# Key:hgv_articulated; Key:access, hierarchy: below hgv
truck | hgv_articulated=no | | detour
truck | hgv_articulated=yes | | direct
truck | hgv_articulated=destination | | detour
truck | hgv_articulated=private | | detour
truck | hgv=no + hgv_articulated=yes | | direct
truck | hgv=yes + hgv_articulated=no | | detour
truck | hgv_articulated:forward=no | | detour
truck | hgv_articulated:forward=no | back | direct
truck | hgv_articulated:conditional=no @ (Mo-Fr 07:00-19:00) | --departure Mo08:15 | detour
truck | hgv_articulated:conditional=no @ (Mo-Fr 07:00-19:00) | --departure Su08:15 | direct
truck | @barrier=lift_gate + @hgv_articulated=no | | detour
bus | hgv_articulated=no | | direct
van | hgv_articulated=no | | direct
car | hgv_articulated=no | | direct
# Key:maxspeed:advisory
car | maxspeed:advisory=5 | | detour
car | maxspeed:advisory=20 | | 20 km/h
car | maxspeed:advisory=3 mph | | detour
car | maxspeed=50 + maxspeed:advisory=5 | | detour
car | maxspeed=20 + maxspeed:advisory=50 | | 20 km/h
car | maxspeed:advisory:forward=5 | | detour
car | maxspeed:advisory:forward=5 | back | direct
car | maxspeed:advisory:backward=5 | back | detour
truck | maxspeed:advisory=3 | | detour
bus | maxspeed:advisory=5 | | detour
motorcycle | maxspeed:advisory=5 | | detour
# OSRM's class restricted: private, destination, delivery, customers
car | all:access=private | --avoid restricted | none
car | all:access=private | | direct
car | all:access=destination | --avoid restricted | none
"""

DIFFICULTY = """
# Key:sac_scale, Key:mtb:scale, Key:trail_visibility, Tag:highway=via_ferrata, Key:via_ferrata_scale
wheelchair | highway=path + sac_scale=difficult_alpine_hiking + mtb:scale=6 | | detour
wheelchair | highway=path + sac_scale=difficult_alpine_hiking | | detour
wheelchair | highway=path + sac_scale=alpine_hiking | | detour
wheelchair | highway=path + sac_scale=demanding_mountain_hiking | | detour
wheelchair | highway=path + sac_scale=mountain_hiking | | detour
wheelchair | highway=path + mtb:scale=3 | | detour
wheelchair | highway=path + mtb:scale=3+ | | detour
wheelchair | highway=path + mtb:scale=6 | | detour
wheelchair | highway=path + trail_visibility=no | | detour
wheelchair | highway=path + trail_visibility=horrible | | detour
wheelchair | highway=path + via_ferrata_scale=1 | | detour
wheelchair | highway=path | | direct
wheelchair | highway=footway + sac_scale=alpine_hiking | | detour
wheelchair | highway=track + sac_scale=demanding_alpine_hiking | | detour
bike | highway=path + sac_scale=difficult_alpine_hiking + mtb:scale=6 | | detour
bike | highway=path + sac_scale=difficult_alpine_hiking | | detour
bike | highway=path + sac_scale=demanding_alpine_hiking | | detour
bike | highway=path + sac_scale=alpine_hiking | | detour
bike | highway=path + mtb:scale=3 | | detour
bike | highway=path + mtb:scale=3+ | | detour
bike | highway=path + mtb:scale=5 | | detour
bike | highway=path + mtb:scale=0 | | direct
bike | highway=path + sac_scale=strolling | | direct
bike | highway=path + trail_visibility=no | | detour
bike | highway=path + trail_visibility=excellent | | direct
bike | highway=track + mtb:scale=5 | | detour
racingbike | highway=path + sac_scale=difficult_alpine_hiking + mtb:scale=6 | | detour
racingbike | highway=path + sac_scale=mountain_hiking | | detour
racingbike | highway=path + mtb:scale=1 | | detour
racingbike | highway=path + mtb:scale=2+ | | detour
racingbike | highway=path + trail_visibility=no | | detour
racingbike | highway=track + mtb:scale=3 | | detour
ebike | highway=path + sac_scale=demanding_alpine_hiking | | detour
ebike | highway=path + mtb:scale=5 | | detour
mtb | highway=path + mtb:scale=0 | | direct
mtb | highway=path + mtb:scale=1+ | | direct
mtb | highway=path + mtb:scale=4 | | detour
mtb | highway=path + mtb:scale=4+ | | detour
mtb | highway=path + mtb:scale=6 | | detour
mtb | highway=path + sac_scale=hiking | | direct
mtb | highway=path + sac_scale=difficult_alpine_hiking | | detour
foot | highway=via_ferrata | | detour
foot | highway=path + via_ferrata_scale=3 | | detour
foot | highway=path + via_ferrata_scale=5 | | detour
foot | highway=path + sac_scale=strolling | | direct
foot | highway=path + sac_scale=hiking | | direct
foot | highway=path + sac_scale=mountain_hiking | | direct
foot | highway=path + mtb:scale=3 | | direct
foot | highway=path + trail_visibility=excellent | | direct
foot | highway=path + trail_visibility=good | | direct
# The pages above, drawn again
wheelchair | highway=path + sac_scale=hiking;mountain_hiking | | detour
bike | highway=path + mtb:scale=2;3 | | detour
bike | highway=path + mtb:scale=3- | | detour
bike | highway=path + bicycle=yes + mtb:scale=6 | | detour
mtb | highway=path + mtb:scale=5- | | detour
wheelchair | highway=path + wheelchair=designated + sac_scale=hiking | | direct
foot | highway=path + via_ferrata_scale=0 | | direct
wheelchair | highway=footway + trail_visibility=excellent | | direct
ebike | highway=path + mtb:scale=3 | | detour
ebike | highway=track + sac_scale=difficult_alpine_hiking | | detour
racingbike | highway=path + sac_scale=alpine_hiking + surface=asphalt | | detour
foot | highway=path + sac_scale=hiking + trail_visibility=intermediate | | direct
wheelchair | highway=path + via_ferrata_scale=3 | | detour
foot | highway=footway + via_ferrata_scale=4 | | detour
bike | highway=path + trail_visibility=horrible | | detour
"""

NODES = """
# Key:access on nodes: Tag:highway=elevator
foot | highway=footway + @highway=elevator + @access=no | | detour
foot | highway=footway + @highway=elevator + @access=private | | detour
foot | highway=footway + @highway=elevator + @foot=no | | detour
foot | highway=footway + @highway=elevator | | direct
foot | highway=footway + @highway=elevator + @wheelchair=no | | direct
foot | highway=footway + @highway=elevator + @access=no + @foot=yes | | direct
wheelchair | highway=footway + @highway=elevator + @wheelchair=no | | detour
wheelchair | highway=footway + @highway=elevator + @wheelchair=yes | | direct
wheelchair | highway=footway + @highway=elevator + @access=no + @wheelchair=yes | | direct
# Tag:railway=level_crossing, Tag:railway=crossing
car | @railway=level_crossing + @motor_vehicle=no | | detour
car | @railway=level_crossing + @access=no | | detour
car | @railway=level_crossing + @access=private | | detour
car | @railway=level_crossing + @motorcar=no | | detour
car | @railway=level_crossing + @vehicle=no | | detour
car | @railway=level_crossing + @motor_vehicle=no + @motorcar=yes | | direct
car | @railway=level_crossing + @hgv=no | | direct
car | @railway=level_crossing | | direct
truck | @railway=level_crossing + @hgv=no | | detour
truck | @railway=level_crossing + @maxweight=7.5 | | detour
truck | @railway=level_crossing + @maxlength=12,5 | | detour
bike | @railway=level_crossing + @motor_vehicle=no | | direct
foot | @railway=level_crossing + @vehicle=no | | direct
foot | highway=footway + @railway=crossing + @access=no | | detour
foot | highway=footway + @railway=crossing + @foot=no | | detour
wheelchair | highway=footway + @railway=crossing + @wheelchair=no | | detour
# Key:entrance, Key:door
foot | highway=footway + @entrance=yes + @access=private | | detour
foot | highway=footway + @entrance=main + @access=no | | detour
foot | highway=footway + @entrance=service + @access=private | | detour
foot | highway=footway + @entrance=yes | | direct
foot | highway=footway + @door=yes + @access=no | | detour
foot | highway=footway + @door=hinged + @entrance=yes + @foot=no | | detour
wheelchair | highway=footway + @entrance=yes + @wheelchair=no | | detour
wheelchair | highway=footway + @entrance=yes + @wheelchair=yes | | direct
# Tag:amenity=parking_entrance, Tag:railway=subway_entrance, Key:public_transport
car | highway=service + @amenity=parking_entrance + @access=no | | detour
car | highway=service + @amenity=parking_entrance + @access=private | | detour
foot | highway=footway + @railway=subway_entrance + @access=no | | detour
foot | highway=footway + @railway=subway_entrance | | direct
wheelchair | highway=footway + @railway=subway_entrance + @wheelchair=no | | detour
foot | highway=footway + @railway=train_station_entrance + @access=no | | detour
foot | highway=footway + @public_transport=entrance + @access=no | | detour
# Tag:highway=crossing: access is that of those who cross, on the way that crosses
foot | highway=footway + @highway=crossing + @foot=no | | detour
bike | @highway=crossing + @bicycle=no | | direct
car | @highway=crossing + @foot=yes | | direct
car | @highway=bus_stop + @public_transport=stop_position + @bus=yes | | direct
# Key:kerb: raised (more than 3 cm) prevents wheelchairs; Key:kerb:height
wheelchair | highway=footway + footway=crossing + @kerb=raised | | detour
wheelchair | highway=footway + footway=crossing + @kerb=raised + @highway=crossing | | detour
wheelchair | highway=footway + footway=crossing + @kerb=raised + @barrier=kerb | | detour
wheelchair | highway=footway + footway=crossing + @kerb=lowered | | direct
wheelchair | highway=footway + footway=crossing + @kerb=flush | | direct
wheelchair | highway=footway + footway=crossing + @kerb=no | | direct
wheelchair | highway=footway + footway=crossing + @kerb=lowered + @highway=crossing | | direct
wheelchair | highway=footway + footway=crossing + @kerb:height=0.15 | | detour
wheelchair | highway=footway + footway=crossing + @kerb:height=15 cm | | detour
wheelchair | highway=footway + footway=crossing + @kerb:height=0,15 | | detour
wheelchair | highway=footway + footway=crossing + @kerb:height=6 in | | detour
wheelchair | highway=footway + footway=crossing + @kerb:height=0.02 | | direct
wheelchair | highway=footway + footway=crossing + @kerb:height=2 cm | | direct
wheelchair | highway=footway + footway=crossing + @barrier=kerb + @kerb:height=0.12 | | detour
wheelchair | highway=footway + footway=crossing + @kerb=raised + @wheelchair=yes | | direct
wheelchair | highway=footway + footway=crossing + kerb=raised | | detour
wheelchair | highway=footway + footway=crossing + kerb=lowered | | direct
wheelchair | highway=footway + footway=crossing + kerb:height=0.15 | | detour
foot | highway=footway + footway=crossing + @kerb=raised | | direct
foot | highway=footway + footway=crossing + kerb=raised | | direct
car | @kerb=lowered + @highway=crossing | | direct
# The pages above, drawn again
foot | highway=footway + @highway=elevator + @access=customers | | detour
foot | highway=footway + @highway=elevator + @access=permissive | | direct
foot | highway=footway + @highway=elevator + @foot=private | | detour
foot | highway=footway + @highway=elevator + @foot=designated | | direct
car | @railway=level_crossing + @access=destination | | detour
car | @railway=level_crossing + @motor_vehicle=agricultural | | detour
car | @railway=level_crossing + @motor_vehicle=permissive | | direct
truck | @railway=level_crossing + @motor_vehicle=no + @hgv=yes | | direct
bus | @railway=level_crossing + @motor_vehicle=no + @bus=yes | | direct
bus | @railway=level_crossing + @psv=no | | detour
moped | @railway=level_crossing + @moped=no | | detour
motorcycle | @railway=level_crossing + @motorcycle=no | | detour
taxi | @railway=level_crossing + @motor_vehicle=no + @taxi=yes | | direct
foot | @highway=crossing + @foot=no | | direct
car | @highway=crossing + @bicycle=no + @foot=no | | direct
car | highway=service + @amenity=parking_entrance + @access=yes | | direct
foot | highway=footway + @indoor=door + @access=no | | detour
foot | highway=footway + @door=sliding + @access=private | | detour
foot | highway=footway + @door=yes | | direct
foot | highway=footway + @door=yes + @entrance=yes + @access=permissive | | direct
car | @highway=mini_roundabout + @hgv=no | | direct
bike | highway=cycleway + @kerb=raised | | direct
bike | highway=cycleway + @railway=crossing + @access=no | | detour
foot | highway=footway + @railway=level_crossing + @access=no | | detour
wheelchair | highway=footway + @door=yes + @wheelchair=no | | detour
wheelchair | highway=footway + @highway=crossing + @wheelchair=no | | detour
wheelchair | highway=footway + @kerb=raised + @wheelchair=limited | | direct
"""

FLAGS = """
# Key:toll: toll:hgv and the like hold for the vehicle that they name
truck | toll:hgv=yes | --avoid toll | detour
truck | toll:hgv=yes | | direct
truck | toll=yes + toll:hgv=no | --avoid toll | direct
truck | toll=no + toll:hgv=yes | --avoid toll | detour
truck | toll=yes | --avoid toll | detour
truck | toll:motorcar=yes | --avoid toll | direct
truck | toll:motor_vehicle=yes | --avoid toll | detour
truck | toll=no | --avoid toll | direct
car | toll:hgv=yes | --avoid toll | direct
car | toll=yes + toll:hgv=no | --avoid toll | detour
car | toll=yes + toll:motorcar=no | --avoid toll | direct
car | toll:motorcar=yes | --avoid toll | detour
car | toll:motor_vehicle=yes | --avoid toll | detour
car | toll:bicycle=yes | --avoid toll | direct
bus | toll:bus=yes | --avoid toll | detour
bus | toll=yes + toll:bus=no | --avoid toll | direct
bus | toll:hgv=yes | --avoid toll | direct
motorcycle | toll=yes + toll:motorcycle=no | --avoid toll | direct
motorcycle | toll:motorcycle=yes | --avoid toll | detour
bike | toll:hgv=yes | --avoid toll | direct
bike | toll=yes + toll:bicycle=no | --avoid toll | direct
foot | toll:hgv=yes | --avoid toll | direct
# Tag:barrier=toll_booth, Tag:highway=toll_gantry
car | @barrier=toll_booth | --avoid toll | detour
car | @barrier=toll_booth | | direct
truck | @barrier=toll_booth | --avoid toll | detour
bus | @barrier=toll_booth | --avoid toll | detour
car | @highway=toll_gantry | --avoid toll | detour
car | @highway=toll_gantry | | direct
# Key:ford on nodes and ways
car | @ford=yes | --avoid ford | detour
car | @ford=yes | | direct
car | @ford=no | --avoid ford | direct
car | ford=yes | --avoid ford | detour
bike | @ford=yes | --avoid ford | detour
truck | @ford=yes | --avoid ford | detour
foot | @ford=yes | --avoid ford | detour
# Key:access: private of the traveller's own mode
car | all:motorcar=private | --avoid private | none
car | all:motor_vehicle=private | --avoid private | none
car | all:access=private | --avoid private | none
car | all:hgv=private | --avoid private | direct
car | all:access=private + all:motorcar=yes | --avoid private | direct
truck | all:hgv=private | --avoid private | none
# The pages above, drawn again
van | toll:goods=yes | --avoid toll | detour
van | toll:hgv=yes | --avoid toll | direct
truck | ford=yes | --avoid ford | detour
car | all:motor_vehicle=destination | --avoid destination_only | none
car | all:motorcar=destination | --avoid destination_only | none
car | all:hgv=destination | --avoid destination_only | direct
truck | all:hgv=destination | --avoid destination_only | none
foot | all:highway=footway + all:foot=private | --avoid private | none
bus | all:bus=private | --avoid private | none
bus | all:access=private + all:bus=yes | --avoid private | direct
taxi | toll=yes + toll:motorcar=no | --avoid toll | direct
car | toll:motor_vehicle=no + toll=yes | --avoid toll | direct
car | toll:vehicle=yes | --avoid toll | detour
car | toll:access=yes | | direct
foot | toll:foot=yes | --avoid toll | detour
car | @barrier=toll_booth + @motor_vehicle=yes | --avoid toll | detour
car | @ford=stream | | direct
"""

CONVEYING = """
# Key:conveying: forward and backward are one-way for those who walk
foot | highway=steps + conveying=forward + incline=up | | direct
foot | highway=steps + conveying=forward + incline=up | back | detour
foot | highway=steps + conveying=backward + incline=up | | detour
foot | highway=steps + conveying=backward + incline=up | back | direct
foot | highway=steps + conveying=forward | back | detour
foot | highway=steps + conveying=yes | | direct
foot | highway=steps + conveying=no | back | direct
foot | highway=footway + conveying=forward | | direct
foot | highway=footway + conveying=forward | back | detour
foot | highway=footway + conveying=backward | | detour
foot | highway=pedestrian + conveying=forward | back | detour
foot | highway=path + conveying=backward | | detour
wheelchair | highway=footway + conveying=backward | | detour
wheelchair | highway=steps + conveying=forward | | detour
# Tag:route=ferry: a ferry, whatever its highway tag
car | route=ferry + highway=primary + duration=00:30 | | 1800 s
car | route=ferry + highway=primary + duration=00:30 | | detour
car | route=ferry + highway=motorway + duration=00:30 | | 1800 s
car | route=ferry + highway=trunk + duration=00:30 | | 1800 s
car | route=ferry + highway=secondary + duration=00:30 | | 1800 s
car | route=ferry + highway=tertiary + duration=00:30 | | 1800 s
car | route=ferry + highway=unclassified + duration=00:30 | | 1800 s
car | route=ferry + highway=residential + duration=00:30 | | 1800 s
car | route=ferry + highway=service + duration=00:30 | | 1800 s
truck | route=ferry + highway=secondary + duration=00:30 | | 1800 s
bike | route=ferry + highway=cycleway + duration=00:30 | | 1800 s
foot | route=ferry + highway=footway + duration=00:30 | | 1800 s
foot | route=ferry + highway=path + duration=00:30 | | 1800 s
foot | route=ferry + highway=residential + duration=00:30 | | 1800 s
car | route=ferry + highway=primary + ferry=primary + duration=00:30 | | 1800 s
car | route=ferry + ferry=primary + motor_vehicle=yes + duration=00:30 | | 1800 s
car | all:route=ferry + all:highway=primary + all:motor_vehicle=no | | none
car | all:route=ferry + all:highway=primary | --avoid ferry | none
car | all:route=ferry + all:highway=residential | --avoid ferry | none
foot | all:route=ferry + all:highway=footway | --avoid ferry | none
# Tag:bridge=movable
car | highway=primary + bridge=movable + bridge:movable=bascule | | direct
car | highway=primary + bridge=movable + bridge:movable=swing | | direct
bike | highway=cycleway + bridge=movable + bridge:movable=lift | | direct
foot | highway=footway + bridge=movable + bridge:movable=drawbridge | | direct
# The pages above, drawn again
foot | highway=steps + conveying=forward + foot=no | | detour
foot | highway=footway + conveying=yes + incline=up | back | direct
foot | highway=steps + conveying=backward + incline=down | back | direct
car | route=ferry + highway=primary | | 48.18 s
truck | route=ferry + highway=primary | | 48.18 s
foot | route=ferry + highway=footway | | 48.18 s
bus | route=ferry + highway=secondary + duration=20 | | 1200 s
car | all:route=ferry + all:highway=residential + all:access=no | | none
car | all:route=ferry + all:highway=footway | | none
foot | all:route=ferry + all:highway=motorway | | none
car | route=ferry + highway=primary + maxspeed=50 + duration=00:30 | | 1800 s
truck | all:route=ferry + all:highway=primary + all:maxweight=7.5 | | none
"""

TURNS = """
# Conditional restrictions: none lifts what else holds
car | >restriction=no_straight_on + >restriction:conditional=none @ (Mo-Fr 07:00-19:00) | --departure Mo08:15 | direct
car | >restriction=no_straight_on + >restriction:conditional=none @ (Mo-Fr 07:00-19:00) | --departure Su08:15 | detour
car | >restriction=no_straight_on + >restriction:conditional=none @ (Mo-Fr 07:00-19:00) | | detour
car | >restriction=only_left_turn + >restriction:conditional=none @ (Sa,Su) | --departure Sa12:00 | direct
car | >restriction=only_left_turn + >restriction:conditional=none @ (Sa,Su) | --departure Mo12:00 | detour
bus | >restriction=no_straight_on + >restriction:conditional=none @ (22:00-06:00) | --departure Mo23:00 | direct
bus | >restriction=no_straight_on + >restriction:conditional=none @ (22:00-06:00) | --departure Mo12:00 | detour
car | >restriction:conditional=no_straight_on @ (07:00-19:00); none @ (Sa) | --departure Sa12:00 | direct
car | >restriction:conditional=no_straight_on @ (07:00-19:00); none @ (Sa) | --departure Mo12:00 | detour
truck | >restriction=no_straight_on + >restriction:hgv:conditional=none @ (Mo-Fr) | --departure Mo12:00 | direct
car | >restriction=no_straight_on + >restriction:hgv:conditional=none @ (Mo-Fr) | --departure Mo12:00 | detour
van | >restriction=no_straight_on + >restriction:conditional=none @ (weight<=3.5) | | direct
truck | >restriction=no_straight_on + >restriction:conditional=none @ (weight<=3.5) | | detour
# Key:opening_hours of a road
car | opening_hours=Mo-Fr 08:00-18:00 | --departure Su12:00 | detour
car | opening_hours=Mo-Fr 08:00-18:00 | --departure Mo12:00 | direct
car | opening_hours=Mo-Fr 08:00-18:00 | | direct
foot | highway=footway + opening_hours=06:00-22:00 | --departure Mo23:00 | detour
foot | highway=footway + opening_hours=24/7 | --departure Mo23:00 | direct
# Relation:restriction
car | >restriction=no_straight_on | | detour
car | >restriction:conditional=no_straight_on @ (Mo-Fr 07:00-09:00) | --departure Tu08:00 | detour
car | >restriction:conditional=no_straight_on @ (Mo-Fr 07:00-09:00) | --departure Tu10:00 | direct
car | >restriction:conditional=only_left_turn @ (Mo-Fr 07:00-09:00) | --departure Tu08:00 | detour
car | >restriction=no_straight_on + >except=motorcar | | direct
bike | >restriction=no_straight_on + >except=bicycle | | direct
foot | >restriction=no_straight_on | | direct
# The pages above, drawn again
car | >restriction=no_straight_on + >restriction:conditional=none @ (Mo-Fr 07:00-09:00,16:00-18:00) | --departure Mo17:00 | direct
car | >restriction=no_straight_on + >restriction:conditional=none @ Sa | --departure Sa12:00 | direct
truck | >restriction:hgv=no_straight_on + >restriction:hgv:conditional=none @ (22:00-06:00) | --departure Mo23:00 | direct
car | >restriction:conditional=none @ (Sa) | --departure Sa12:00 | direct
car | >restriction:conditional=no_straight_on @ (Mo-Fr 07:00-09:00); no_straight_on @ (Sa 10:00-12:00) | --departure Sa11:00 | detour
car | >restriction:conditional=no_straight_on @ (Mo-Fr 07:00-09:00; Sa 10:00-12:00) | --departure Sa11:00 | detour
car | >restriction:conditional=no_straight_on @ (Mo-Fr 07:00-09:00; Sa 10:00-12:00) | --departure Su11:00 | direct
car | >restriction=only_left_turn + >restriction:conditional=none @ (22:00-06:00) | --departure Mo02:00 | direct
car | opening_hours=Mo-Fr 08:00-18:00; Sa off | --departure Sa12:00 | detour
car | opening_hours=Mo-Su 06:00-22:00 | --departure Mo23:00 | detour
car | @barrier=gate + @opening_hours=06:00-22:00 | --departure Mo12:00 | direct
bike | highway=cycleway + opening_hours=06:00-20:00 | --departure Mo23:00 | detour
"""

TABLES = {
    "vehicle": VEHICLE, "numbers": NUMBERS, "classes": CLASSES, "difficulty": DIFFICULTY, "nodes": NODES,
    "flags": FLAGS, "conveying": CONVEYING, "turns": TURNS,
}  # fmt: skip


class Case:
    """One line of a table."""

    def __init__(self, line, page):
        self.line, self.page = line, page
        self.profile, tags, options, self.expected = (part.strip() for part in line.split("|"))
        self.options = options.split()
        self.back = "back" in self.options
        self.options = tuple(option for option in self.options if option != "back")
        self.way, self.node, self.turn, self.detour = {}, {}, {}, {}
        for tag in filter(None, tags.split(" + ")):
            key, value = tag.split("=", 1)
            if key.startswith("all:"):
                self.detour[key[4:]] = value
            places = {"@": self.node, ">": self.turn}
            places.get(key[0], self.way)[key.lstrip("@>").removeprefix("all:")] = value
        for way in (self.way, self.detour):
            if "route" not in way:
                way.setdefault("highway", "residential")


def cases(table):
    page = ""
    for line in TABLES[table].strip().splitlines():
        if line.startswith("#"):
            page = line[2:]
        else:
            yield Case(line, page)
