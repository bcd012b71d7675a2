# A taxi: as a car, and let into what is open to taxis or to public service vehicles.
like      car
name      taxi
modes     taxi psv motorcar motor_vehicle vehicle access

[access]
taxi           open
psv            open
