/* bare_runner.c - runs tests where Criterion's library cannot: under the thread sanitizer, on emulated and on
 * foreign machines. It stands in for the library, behind Criterion's own headers.
 *
 * Each test runs in a process of its own, which fork() makes; where there is no fork(), the program starts itself
 * with the test's name. Time limits and the options of Criterion are not there. One argument, SUITE or
 * SUITE/NAME, chooses tests. */
#include <criterion/criterion.h>
#include <criterion/event.h>
#include <criterion/logging.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <process.h>
#else
#include <sys/wait.h>
#include <unistd.h>
#endif

extern struct criterion_test *__start_cr_tst[], *__stop_cr_tst[];
extern struct criterion_suite *__start_cr_sts[], *__stop_cr_sts[];
CR_SECTION_("cr_sts") struct criterion_suite *criterion_no_suite; /* so that there is the section */

struct criterion_options criterion_options;

#ifdef __SANITIZE_THREAD__
/* Tests of fork() start threads in the child. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}
#endif

static const struct criterion_test *current;
static bool has_failed;

/* ---- what tests call ---- */

void criterion_send_assert(struct criterion_assert_stats *stats)
{
    if (stats->passed) return;
    has_failed = true;
    printf("%s:%u: %s\n", stats->file, stats->line, stats->message);
    fflush(stdout);
}

void criterion_abort_test(void)
{
    fflush(NULL);
    _exit(1);
}

void criterion_skip_test(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("skipped: ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    fflush(NULL);
    _exit(0);
}

/* A test in C++ let an exception pass. */
void criterion_test_die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    criterion_abort_test();
}

/* Criterion's headers for C++ have a stream that calls it. */
void cr_log(enum criterion_severity severity, const char *format, ...)
{
    va_list arguments;
    (void)severity;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

void criterion_continue_test(void)
{
}

void cri_asserts_passed_incr(void)
{
}

char *cr_translate_assert_msg(int index, ...)
{
    va_list arguments;
    va_start(arguments, index);
    const char *const expression = va_arg(arguments, const char *);
    va_end(arguments);
    return strdup(expression);
}

int cr_asprintf(char **out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    *out = malloc((size_t)length + 1);
    if (!*out) abort();
    va_start(arguments, format);
    vsnprintf(*out, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return length;
}

void cr_asprintf_free(char *text)
{
    free(text);
}

static const struct criterion_test_extra_data *suite_data(void)
{
    for (struct criterion_suite **suite = __start_cr_sts; suite < __stop_cr_sts; ++suite)
        if (*suite && strcmp((*suite)->name, current->category) == 0) return (*suite)->data;
    return NULL;
}

void criterion_internal_test_setup(void)
{
    const struct criterion_test_extra_data *const suite = suite_data();
    if (suite && suite->init) suite->init();
    if (current->data->init) current->data->init();
}

void criterion_internal_test_main(void (*test)(void))
{
    test();
}

void criterion_internal_test_teardown(void)
{
    const struct criterion_test_extra_data *const suite = suite_data();
    if (current->data->fini) current->data->fini();
    if (suite && suite->fini) suite->fini();
}

/* ---- running ---- */

static int run_here(void)
{
    current->test();
    fflush(NULL);
    return has_failed;
}

#ifdef _WIN32

static bool run_apart(const char *program)
{
    return _spawnl(_P_WAIT, program, program, current->data->identifier_, NULL) == current->data->exit_code;
}

#else

static bool run_apart(const char *program)
{
    (void)program;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) exit(run_here());
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child) return false;
    if (WIFSIGNALED(status)) return WTERMSIG(status) == current->data->signal;
    return current->data->signal == 0 && WEXITSTATUS(status) == current->data->exit_code;
}

#endif

static bool is_chosen(const char *choice)
{
    return !choice || strcmp(choice, current->category) == 0 ||
           strcmp(choice, current->data->identifier_) == 0;
}

int main(int count, char **argument)
{
    const char *const choice = count > 1 ? argument[1] : NULL;
    unsigned run = 0, failed = 0;
    for (struct criterion_test **test = __start_cr_tst; test < __stop_cr_tst; ++test) {
        current = *test;
        if (!current || current->data->disabled || !is_chosen(choice)) continue;
#ifdef _WIN32
        if (choice && strcmp(choice, current->data->identifier_) == 0) return run_here();
#endif
        ++run;
        if (run_apart(argument[0])) continue;
        ++failed;
        printf("failed: %s\n", current->data->identifier_);
    }
    printf("%u tests, %u failed\n", run, failed);
    return failed > 0 || run == 0;
}
