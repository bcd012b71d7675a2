/* hint.h - what an answer says of a place, so that the next request finds it again: text that only this server reads. */
#ifndef MCD_BINDINGS_SERVE_SERVICES_HINT_H
#define MCD_BINDINGS_SERVE_SERVICES_HINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SERVE_HINT_CHARACTERS = 32 };

/* A coordinate, and where it was snapped on which map. Degrees x 1e7. */
typedef struct serve_hint {
    uint32_t map; /* macadam's maps differ in it: serve_map::fingerprint */
    int32_t lon_e7, lat_e7;
    int32_t snapped_lon_e7, snapped_lat_e7;
} serve_hint;

/* Writes the hint and a zero: letters, digits, - and _. */
void serve_hint_write(const serve_hint *hint, char text[SERVE_HINT_CHARACTERS + 1]);
/* Returns false if `text` is not what serve_hint_write has written. */
bool serve_hint_read(serve_hint *out, const char *text, size_t size);

#endif
