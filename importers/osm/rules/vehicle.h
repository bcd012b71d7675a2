/* vehicle.h - an electric vehicle, and the energy that it takes along a road.
 *
 * A file has one line for each number that differs from its default; what follows a '#' is a comment:
 *
 *   mass 2000           kg, with the load
 *   drag 0.63           m^2: the drag coefficient times the frontal area
 *   rolling 0.01        the rolling resistance by the weight
 *   efficiency 0.85     the share of the battery's energy that reaches the wheels
 *   recuperation 0.65   the share of the energy of braking that returns to the battery
 *   auxiliary 500       W that are always taken: electronics, light, heating
 *
 * Energy. The wheels need F s along s metres, with
 *
 *   F s = mass g (rolling s + rise) + density / 2 drag speed^2 s
 *
 * The battery gives F s / efficiency if that is positive. Otherwise it gets back recuperation times its size.
 *
 * Potential. As recuperation <= 1 <= 1 / efficiency, the battery gives at least recuperation F s >= recuperation
 * mass g rise in both cases. So with the potential floor(recuperation mass g height) of a node, the energy of an arc,
 * rounded up to an integer, is never less than by how much the potential rises along it: both are integers, and
 * the rise of the rounded potential is less than 1 above that of the exact one. (Eisner, Funke, Storandt 2011,
 * "Optimal Route Planning for Electric Vehicles in Large Networks"; the rule of Johnson 1977) */
#ifndef MCD_IMPORTERS_OSM_RULES_VEHICLE_H
#define MCD_IMPORTERS_OSM_RULES_VEHICLE_H

#include "engine/base/status.h"
#include "engine/base/types.h"

typedef struct mcd_vehicle {
    double mass_kg, drag_m2, rolling, efficiency, recuperation, auxiliary_w;
} mcd_vehicle;

/* Reads a vehicle. Returns E_IO, or E_FILE with file, line and text. */
macadam_status mcd_vehicle_read(mcd_vehicle *out, const char *path, macadam_error *error);

/* Returns the potential at a height, in milliwatt hours. */
int32_t mcd_vehicle_potential(const mcd_vehicle *vehicle, int32_t height_dm);

/* Returns what the battery gives for a straight piece of road, in joules, without what it always gives. `rise_m` may
 * be negative, and so may be the result. */
double mcd_vehicle_piece_j(const mcd_vehicle *vehicle, double metres, double rise_m, double speed_ms);

/* Returns what the battery gives along an arc, in milliwatt hours, rounded up, less the rise of the potential: at
 * least 0. `pieces_j`: the sum of its pieces. */
mcd_weight mcd_vehicle_weight(const mcd_vehicle *vehicle, double pieces_j, double seconds,
                              int64_t potential_rise);

#endif
