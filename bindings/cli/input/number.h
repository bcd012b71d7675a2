/* number.h - strict reading of numbers: the whole text is one number, or it is none. */
#ifndef MCD_BINDINGS_CLI_INPUT_NUMBER_H
#define MCD_BINDINGS_CLI_INPUT_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Digits, with a minus sign or without. */
bool cli_number_integer(const char *text, size_t bytes, int64_t *out);
/* Only digits; at most `max`. */
bool cli_number_unsigned(const char *text, size_t bytes, uint64_t max, uint64_t *out);
/* A finite decimal number, with an exponent or without; no hexadecimal, no "inf". */
bool cli_number_decimal(const char *text, size_t bytes, double *out);
/* Bytes: digits and one of K, M, G, T (powers of 1024) or none; not 0. */
bool cli_number_bytes(const char *text, uint64_t *out);

#endif
