/* python_places.h - places of Python as an array of the library's. */
#ifndef MCD_BINDINGS_PYTHON_SRC_PYTHON_PLACES_H
#define MCD_BINDINGS_PYTHON_SRC_PYTHON_PLACES_H

#include "bindings/python/src/python_call.h"

/* An array of places. */
struct Places {
    std::vector<macadam_place> place;
};

#endif
