/* profile_car.h - the car's tables. */
#ifndef MCD_PROFILE_CAR_H
#define MCD_PROFILE_CAR_H

#include "importers/profile.h"

extern const mcd_profile mcd_profile_car;

#endif
