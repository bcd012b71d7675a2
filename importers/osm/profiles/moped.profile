# A moped of up to 45 km/h: not let onto motorways and motor roads.
like      motorcycle
name      moped
modes     moped motor_vehicle vehicle access
speed_max 45

[way highway]
motorway       45 own oneway
motorway_link  45 own
cycleway       25 named

[access]
moped          open
motorcycle     closed

[closed motorroad]
yes own
