/* wrap.h - texts in lines of a limited width. */
#ifndef MCD_BINDINGS_CLI_OUTPUT_WRAP_H
#define MCD_BINDINGS_CLI_OUTPUT_WRAP_H

#include <stdio.h>

/* Prints lines of text, wrapped at 80 columns, or at those of the environment variable COLUMNS. A line that is indented goes on below its second column, which two spaces precede. */
void cli_wrap(FILE *to, const char *text);

#endif
