/* profile_file.h - profiles as text, ours and the user's.
 *
 * A line is a setting, the name of a section in brackets, or a row of the section before it; what follows a
 * '#' is a comment. Settings come first:
 *
 *   like car                                     only as the first line: all is as in this profile but for the
 *                                                name; settings and rows replace the other's, and "!VALUE" takes
 *                                                a row away
 *   name car                                     what `macadam info` calls it
 *   modes motorcar motor_vehicle vehicle access  access keys, the most specific first
 *   pushed 4 foot access                         km/h and access keys of one who gets off and pushes where
 *                                                riding is not open, one-way rules or not; none
 *   speed_max 140                                km/h
 *   boarding 300                                 seconds of waiting for a ferry; 0
 *   maxspeed replaces | caps | ignored           what the tag does to the speed of a class; replaces
 *   oneway obeyed | ignored                      ignored: but for oneway:MODE; obeyed
 *   restrictions all | own                       own: only those that name a mode; all
 *   times kept | ignored                         ignored: conditional tags are as if they were not there; kept
 *   u_turns anywhere | dead_ends                 dead_ends: only where no other way on is open; anywhere
 *   turn 45 0 0, turn 180 3 8                    one line an angle, ascending: of up to these degrees, seconds to the side one drives on, and across oncoming
 *                                                traffic; none. Turns that follow other settings replace those
 *                                                before
 *   give_way 2                                   seconds at a junction without signals or signs, if the vehicle comes by a road of a slower class than another there, and does not merge
 *                                                straight on (within the first turn's angle) into a faster one; 0
 *   traffic map | right | left                   the side one drives on; map: as the map's boundaries say
 *   slopes ignored | walked | ridden 80 90 0.6 1.5
 *                                                what slopes do, if the import has heights (slope.h); ridden: with these watts at the wheel, kilograms, square metres of drag, and at most this factor of the speed on level ground; ignored
 *   areas skipped | outline | crossed            of area=yes, and of multipolygons if crossed; skipped
 *
 * (last: what holds where the setting is not made). Sections and their rows; VALUE is a tag's, "*" any
 * other; in [speed], [slower], [preference] and [closed], "<3.5" is one that measures less, ">6" one that has a greater number
 * (3+, 1-2; of an incline its percent) or length (10 cm), "~hiking" one that has this in it (the first row that fits counts); KEY belongs to the
 * section's name:
 *
 *   [way KEY]  VALUE KM/H [oneway] [permit|named|own] [ferry] [ridden]
 *       A road and its speed. The first of these keys that a way has decides; but of a road that another key makes a
 *       ferry, its speed is the ferry's, and permit, named and own are the road's. oneway: it is one-way by
 *       itself; permit: closed unless an access tag opens it; named: unless an access tag opens it that is
 *       not of the last mode; own: unless one of the first mode does; ferry: a ferry or a train, which keeps its own speed or its duration tag;
 *       ridden: not for pushing unless an access tag of the pushed modes permits it.
 *   [access]  VALUE open|destination|closed [KM/H]
 *       Values of the modes' keys; others are passed over. Of a list (a;b) the most open value counts.
 *   [barrier]  VALUE open|destination|closed [SECONDS] [always] [lockable]
 *       A node's barrier; others are closed. The node's own access tags decide, but with "always" the row
 *       does. lockable: destination where locked=yes. VALUE may be bollard:rising, that
 *       is barrier=bollard with bollard=rising.
 *   [wait KEY]  VALUE SECONDS [sign]
 *       Nodes where one waits; a sign that names no direction is for those who approach the nearer junction.
 *   [maxspeed]  VALUE KM/H
 *       Values that are not numbers, in letters of any case; 0: it says nothing of the speed. A country's own
 *       rule (DE:rural) stands before the general one (rural).
 *   [speed KEY]  VALUE KM/H              At most.
 *   [slower KEY]  VALUE FACTOR [two_way] It takes FACTOR times as long; two_way: on roads open both ways.
 *   [preference KEY]  VALUE FACTOR [two_way]
 *       It counts as if it took FACTOR times as long; below 1: it is preferred. With such a section the map has
 *       the quantity "preference" (ms): durations times the factors of all rows that fit, and turns as they are.
 *   [closed KEY]  VALUE [named|own] [node|way]
 *       Nobody passes such a way or node; named: but those whom an access tag permits it that is not of the last mode;
 *       own: that is of the first mode; node, way: only these are meant.
 *   [limit m|t]  KEY NUMBER              Closed where the tag allows less than one's own (mcd_profile_limits).
 *   [unread m|t]  KEY NUMBER             A limit that cannot be read stands for it; else it closes the way to what is larger
 *                                        than a car.
 *   [contraflow KEY]  VALUE              A one-way road is open both ways. */
#ifndef MCD_IMPORTERS_OSM_RULES_PROFILE_FILE_H
#define MCD_IMPORTERS_OSM_RULES_PROFILE_FILE_H

#include "importers/osm/rules/profile.h"

/* Reads the profile of ours that has this name, or else the file at this path. `out` is then freed with
 * mcd_profile_free. Returns E_INVALID (neither), E_IO, E_FILE ("FILE:LINE: ..."), E_MEMORY. */
macadam_status mcd_profile_read(mcd_profile *out, const char *name_or_path, macadam_error *error);

void mcd_profile_free(mcd_profile *profile);

#endif
