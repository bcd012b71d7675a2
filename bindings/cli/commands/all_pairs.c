/* all_pairs.c - `macadam all-pairs`: from every node to every node. Rows are written as they come; a .npy
 * file with a name is the library's, which has it mapped and needs no memory for it. */
#include "bindings/cli/command.h"

enum { LINE_BYTES = 160 };

typedef struct all_pairs_answer {
    const cli_session *session;
    macadam_all_pairs_request request;
    cli_table table; /* opened when there is something to write: usage is found wrong before */
    int status;      /* of its opening */
} all_pairs_answer;

static void write_row(cli_table *table, const macadam_tile *tile, size_t row)
{
    const int64_t *const id = table->session->id;
    for (size_t column = 0; column < tile->columns; ++column) {
        const size_t cell = row * tile->columns + column;
        cli_table_id(table, id[tile->row + row]);
        cli_table_id(table, id[column]);
        cli_table_costs(table, tile->value, cell);
        if (tile->next && tile->next[cell] != MACADAM_UNREACHED) cli_table_id(table, id[tile->next[cell]]);
        cli_table_end(table);
    }
}

static bool open_table(all_pairs_answer *answer)
{
    const uint64_t count = answer->session->info.id_count;
    if (answer->table.output.stream) return true;
    const cli_layout layout = {.columns = answer->request.next ? "source,target,*,next" : "source,target,*",
                               .shape = {count, count}};
    answer->status = cli_table_open(&answer->table, answer->session, &layout);
    return answer->status == CLI_DONE;
}

static bool take_tile(void *context, const macadam_tile *tile)
{
    all_pairs_answer *const answer = context;
    if (!open_table(answer)) return false;
    if (answer->table.is_array) return cli_table_rows(&answer->table, tile->value, tile->rows);
    for (size_t row = 0; row < tile->rows; ++row) write_row(&answer->table, tile, row);
    return !answer->table.output.failed;
}

/* `path`: of a file that the library writes; NULL: the table. */
static int compute(all_pairs_answer *answer, const char *path)
{
    const cli_session *const session = answer->session;
    const macadam_status status =
        path ? macadam_all_pairs_save(session->engine, &session->query, &answer->request, path, &cli_error)
             : macadam_all_pairs_find(session->engine, &session->query, &answer->request, take_tile, answer,
                                      &cli_error);
    cli_progress_erase();
    if (answer->status != CLI_DONE) return answer->status;
    if (status != MACADAM_OK && !answer->table.output.failed) return cli_fail_library(NULL, status);
    if (!path && !open_table(answer)) return answer->status; /* no rows at all */
    char line[LINE_BYTES];
    snprintf(line, sizeof line, "macadam: all pairs of %llu nodes by %s",
             (unsigned long long)session->info.id_count, *answer->request.chosen);
    if (!answer->request.method || strcmp(answer->request.method, "auto") == 0)
        cli_progress_report(NULL, line);
    return CLI_DONE; /* closing the table reports what could not be written */
}

int cli_all_pairs(const cli_session *session)
{
    const cli_options *const options = session->options;
    const char *chosen;
    all_pairs_answer answer = {.session = session,
                               .request = {.size = sizeof answer.request,
                                           .method = options->request.method,
                                           .next = options->paths,
                                           .chosen = &chosen}};
    const int status = compute(&answer, options->is_replaced ? options->output : NULL);
    return options->is_replaced ? status : cli_table_close(&answer.table, status);
}
