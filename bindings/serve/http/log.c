/* log.c - see log.h. */
#include "bindings/serve/http/log.h"
#include "bindings/formats/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LINE_BYTES = 1024, TIME_BYTES = 32 };

bool serve_log_as_json;

void serve_log(const char *format, ...)
{
    char message[LINE_BYTES], now[TIME_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    struct tm utc;
    const time_t seconds = time(NULL);
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
    mcd_text line = {0};
    if (serve_log_as_json)
        mcd_text_json(&line, "{'time':%s,'message':%s}\n", now, message);
    else
        fprintf(stderr, "%s %s\n", now, message);
    if (line.size && !line.failed) fwrite(line.data, 1, line.size, stderr);
    free(line.data);
}
