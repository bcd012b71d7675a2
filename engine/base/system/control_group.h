/* control_group.h - what Linux's control groups (of containers, for example) allow this process. A leaf. */
#ifndef MCD_ENGINE_BASE_SYSTEM_CONTROL_GROUP_H
#define MCD_ENGINE_BASE_SYSTEM_CONTROL_GROUP_H

/* Returns how many processors' time the groups allow, rounded up; UINT_MAX: as much as there is. Knows both
 * versions of control groups. The files of the system are looked for below the folder `root`: "" except in
 * tests. */
unsigned mcd_control_group_processors(const char *root);

#endif
