/* status.c - see status.h. */
#include "bindings/serve/services/status.h"
#include "bindings/formats/record.h"
#include "bindings/serve/http/metrics.h"

#include <strings.h>

static void write_info(serve_answer *answer, serve_maps *maps)
{
    mcd_text *const text = &answer->body;
    mcd_text_json(text, "{'code':'Ok','maps':[");
    serve_map *map;
    for (size_t i = 0; (map = serve_maps_at(maps, i)); ++i) {
        const macadam_info *const info = &map->info;
        mcd_text_json(text, "{'profile':%s", map->profile);
        mcd_record_write(text, MCD_STRUCTURE(info), "source,nodes=id_count,arcs=arc_count,device", info);
        mcd_text_json(text, "'bbox':[");
        const double side[] = {info->west, info->south, info->east, info->north};
        for (size_t s = 0; s < 4; ++s)
            mcd_text_comma(text), mcd_text_decimal(text, mcd_text_round(side[s] * 1e7), 7);
        mcd_text_add(text, "]}");
        serve_map_release(map);
    }
    mcd_text_json(text, "],'languages':[");
    const char *language;
    for (size_t i = 0; (language = macadam_language_name(i)); ++i) mcd_text_json(text, "%s", language);
    mcd_text_add(text, "]}");
    serve_answer_ok(answer, serve_type_json);
}

bool serve_status_answer(serve_answer *answer, const char *path, serve_maps *maps, unsigned running)
{
    if (strstr(path, "/v1/")) return false;
    for (const serve_file *file = serve_page; file->path; ++file)
        if (strcmp(path, file->path) == 0) {
            mcd_text_bytes(&answer->body, file->content, file->bytes);
            serve_answer_ok(answer, file->type);
        }
    if (strcmp(path, "/health") == 0) {
        mcd_text_add(&answer->body, "{\"code\":\"Ok\"}");
        serve_answer_ok(answer, serve_type_json);
    } else if (strcmp(path, "/info") == 0) {
        write_info(answer, maps);
    } else if (strcmp(path, "/metrics") == 0) {
        serve_metrics_write(&answer->body, running);
        serve_answer_ok(answer, serve_type_text);
    }
    return answer->status > 0;
}

bool serve_status_is_allowed(const char *authorization, const char *token)
{
    static const char scheme[] = "Bearer ";
    if (!token || !authorization || strncasecmp(authorization, scheme, sizeof scheme - 1) != 0) return false;
    const char *const given = authorization + sizeof scheme - 1;
    const size_t size = strlen(token), given_size = strlen(given);
    unsigned char differs = size != given_size;
    for (size_t i = 0; i < given_size; ++i) differs |= (unsigned char)(given[i] ^ token[size ? i % size : 0]);
    return size > 0 && !differs;
}
