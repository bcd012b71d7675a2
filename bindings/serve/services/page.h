/* page.h - the page `/`: page.html, as the build makes it part of the program. */
#ifndef MCD_BINDINGS_SERVE_SERVICES_PAGE_H
#define MCD_BINDINGS_SERVE_SERVICES_PAGE_H

#include <stddef.h>

extern const char serve_page[];
extern const size_t serve_page_bytes;

#endif
