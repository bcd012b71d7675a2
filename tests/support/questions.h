/* questions.h - every kind of question to an engine, and its answers as one log that can be compared. */
#ifndef MCD_TESTS_SUPPORT_QUESTIONS_H
#define MCD_TESTS_SUPPORT_QUESTIONS_H

#include "tests/support/fixture.h"

/* Everything that was answered, words in the order of the questions. */
typedef struct answer_log {
    uint64_t *word;
    size_t count, capacity;
} answer_log;

void answer_log_free(answer_log *log);
/* The first word that differs; SIZE_MAX: none. */
size_t answer_log_difference(const answer_log *a, const answer_log *b);

/* The scene of a question: places are drawn from the graph's nodes, and one place is nowhere. */
typedef struct question_scene {
    const test_graph *graph;
    const fixture_asked *asked;
} question_scene;

/* Asks and, if all went well, logs; asserts that callbacks get each tile and path once and in order. */
typedef macadam_status (*question_ask)(answer_log *log, const question_scene *scene, macadam_engine *engine,
                                       macadam_error *error);

typedef struct question {
    const char *name;
    question_ask ask;
} question;

enum { QUESTIONS = 15 };
extern const question question_all[QUESTIONS];

/* All of them, one after the other; aborts with the message of what fails. */
answer_log questions_ask_all(const question_scene *scene, macadam_engine *engine);

/* Gives about every third arc other weights of both quantities, some of them none and some zero, and half of these a speed pattern: the same
 * for a graph whenever it is called. */
macadam_status questions_update(const test_graph *graph, macadam_engine *engine, macadam_error *error);

#endif
