/* languages.h - the languages of instructions: the files of engine/guide/language/, word for word. */
#ifndef MCD_ENGINE_GUIDE_LANGUAGES_H
#define MCD_ENGINE_GUIDE_LANGUAGES_H

#include <stddef.h>

typedef struct mcd_language_text {
    const char *name; /* "en", ...: ISO 639-1 */
    const char *text;
} mcd_language_text;

extern const mcd_language_text mcd_language_texts[]; /* ends with a name that is NULL */

#endif
