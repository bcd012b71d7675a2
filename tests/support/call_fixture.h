/* call_fixture.h - an engine over a small map, asked by macadam_call; every allocation counted.
 *
 *        5,10      1,10
 *   10 -------> 20 ------> 30      duration,distance; 30 leads back to 10 with 7,0; 50 is on its own
 *    |                     ^
 *    +-------> 40 ---------+       20 lies 0.001 degrees east of 10, 30 east of 20, 40 south of 20
 *        2,1         3,2 */
#ifndef MCD_TESTS_SUPPORT_CALL_FIXTURE_H
#define MCD_TESTS_SUPPORT_CALL_FIXTURE_H

#include "engine/include/macadam.h"

#include "macadam/v1/reply.pb-c.h"
#include "macadam/v1/request.pb-c.h"

enum { CALL_FIXTURE_NODES = 5 };

extern macadam_engine *call_engine;

/* A Criterion fixture: installs the allocator of allocator.h, imports the map, opens `call_engine`; closes it
 * and aborts if a block is left. */
void call_fixture_open(void);
void call_fixture_close(void);

/* Asks; the Reply, for free_unpacked(, NULL). Asserts that status and message agree everywhere. */
Macadam__V1__Reply *call_expect(const Macadam__V1__Request *request, macadam_reply_callback part,
                                void *context, macadam_status expected);
/* The same from bytes. */
Macadam__V1__Reply *call_expect_bytes(const uint8_t *data, size_t size, macadam_reply_callback part,
                                      void *context, macadam_status expected);

/* A callback that cancels. */
bool call_refuse_part(void *context, const uint8_t *data, size_t size);

#endif
