/* checkpoint.h - files beside the output of an import, from which it goes on after it was stopped.
 *
 * OUTPUT.resume-PROFILE-STAGE holds what a stage made for a profile. It is a file of sections (engine/file/layout.h), each with
 * its checksum, which appears in one step once it is complete. Its section "made_from" has a line for each thing that
 * determines the contents; an import of other things does not use it.
 *
 * The same functions write and read, so that one list of a structure's members serves both ways. */
#ifndef MCD_IMPORTERS_BASE_CHECKPOINT_H
#define MCD_IMPORTERS_BASE_CHECKPOINT_H

#include "engine/file/write.h"
#include "engine/map/map.h"

typedef enum mcd_import_stage {
    MCD_IMPORT_STAGE_ROADS, /* OpenStreetMap's: the map and its turns, before junctions are split */
    MCD_IMPORT_STAGE_MAP,   /* the map */
    MCD_IMPORT_STAGE_ORDER, /* the order of its nodes */
    MCD_IMPORT_STAGES
} mcd_import_stage;

/* Of what the stages write: a change of mcd_map, mcd_turns or mcd_report gets a new one. */
enum { MCD_CHECKPOINT_FORMAT = 1 };

/* The checkpoints of an import. Zeroed: it keeps none. */
typedef struct mcd_checkpoints {
    const macadam_import_options *options; /* NULL: none are kept */
    char *made_from;                       /* [made_from_bytes] lines */
    size_t made_from_bytes, capacity;
    bool is_damaged; /* a checkpoint was found to be, and removed */
} mcd_checkpoints;

/* Adds a line to what the contents are made from. */
macadam_status mcd_checkpoints_add(mcd_checkpoints *all, macadam_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sizes and checksums of files. */
typedef struct mcd_file_sum {
    uint64_t count, bytes, crc32;
} mcd_file_sum;
/* Adds a file to *sum: one pass over it. Returns E_IO, E_MEMORY or E_CANCELLED. */
macadam_status mcd_checkpoints_sum(const mcd_checkpoints *all, mcd_file_sum *sum, const char *path,
                                   macadam_error *error);
/* Adds a file's name without folders, size and checksum in a line that begins with `role`, unless the path is NULL. Returns
 * likewise, and E_INVALID for standard input. */
macadam_status mcd_checkpoints_add_file(mcd_checkpoints *all, const char *role, const char *path,
                                        macadam_error *error);
/* Returns whether an import that ended with `status` is to start over, without the damaged checkpoint that `error` names. */
bool mcd_checkpoints_restart(mcd_checkpoints *all, macadam_status status, macadam_error *error);
/* Removes all files of these checkpoints: the edge file is complete. */
void mcd_checkpoints_remove(mcd_checkpoints *all);
void mcd_checkpoints_free(mcd_checkpoints *all);

/* A checkpoint that is read or written. It must not move. Zeroed: neither. */
typedef struct mcd_checkpoint {
    mcd_checkpoints *all;
    mcd_import_stage stage;
    size_t profile;
    char *path;
    mcd_edge_file *file;     /* it is read */
    mcd_edge_writer *writer; /* it is written */
    mcd_parallel parallel;
    mcd_progress progress;
    mcd_watch watch;
} mcd_checkpoint;

/* Opens the profile's checkpoint of a stage if there is one that fits the import, which is reported; a report says as well
 * why another one does not. Otherwise out->file is NULL. Returns E_IO, E_MEMORY or E_CANCELLED. */
macadam_status mcd_checkpoint_open(mcd_checkpoint *out, mcd_checkpoints *all, mcd_import_stage stage,
                                   size_t profile, const mcd_parallel *parallel, const mcd_progress *progress,
                                   macadam_error *error);
/* Begins to write one, unless none are kept: out->writer is then NULL. */
macadam_status mcd_checkpoint_create(mcd_checkpoint *out, mcd_checkpoints *all, mcd_import_stage stage,
                                     size_t profile, const mcd_parallel *parallel,
                                     const mcd_progress *progress, macadam_error *error);

/* Write or read a value of a fixed size; an array (compressed), which may wait in `spill`; a map, but for its texts. Arrays that
 * are read are the caller's. Return E_FULL, E_IO, E_MEMORY, E_CANCELLED, or E_FILE: the checkpoint is damaged, and is
 * removed. */
macadam_status mcd_checkpoint_value(mcd_checkpoint *at, const char *name, void *value, size_t bytes,
                                    macadam_error *error);
macadam_status mcd_checkpoint_array(mcd_checkpoint *at, mcd_map_array array, mcd_spill *spill,
                                    macadam_error *error);
#define MCD_CHECKPOINT_ARRAY(at, name, pointer, count, error)                                                \
    mcd_checkpoint_array((at), (mcd_map_array){(name), &(pointer), sizeof *(pointer), (count)}, NULL, (error))
macadam_status mcd_checkpoint_map(mcd_checkpoint *at, mcd_map *map, macadam_error *error);
/* Checks a map that was read (mcd_map_check). Returns likewise. */
macadam_status mcd_checkpoint_check_map(mcd_checkpoint *at, const mcd_map *map, macadam_error *error);
/* Checks that an order that was read has each of `count` nodes once. Returns likewise, or E_MEMORY. */
macadam_status mcd_checkpoint_check_order(mcd_checkpoint *at, const mcd_node *order, size_t count,
                                          macadam_error *error);

/* Puts a checkpoint that is written in place, and removes the one of the stage before, which it replaces. */
macadam_status mcd_checkpoint_finish(mcd_checkpoint *at, macadam_error *error);
/* Of one that is not finished, nothing is left. */
void mcd_checkpoint_close(mcd_checkpoint *at);

#endif
