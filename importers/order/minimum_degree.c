/* minimum_degree.c - see minimum_degree.h.
 *
 * Method: nested dissection orders large graphs well, minimum degree small ones. The nodes outside a block to
 * which its nodes are joined are its rim; all of them are above the block. Where no blocks are known, each
 * largest subtree of at most BLOCK_MAX nodes is one.
 * A block's nodes are eliminated in a new order: always a node with the fewest neighbours left, rim included;
 * of several, the one with the shallowest tree below it. One neighbour counts as two, so that a blind alley
 * does not become a path from its end.
 * Why it is right: blocks are not joined to each other, so any order that has each block before its rim keeps
 * the tree above the blocks, and the fill there, as they were.
 * Layout: a row of bits for each node of the block: its neighbours among block and rim.
 * Largest blocks of 128 nodes: upward arcs and triangles fall by a tenth and a fifth on maps with split
 * junctions, both by 5 % on New York, and heights stay; larger blocks find little more and make taller trees.
 * Races: none: each task has its own blocks. */
#include "importers/order/minimum_degree.h"

enum {
    BLOCK_MAX = 128, /* nodes; see above */
    RIM_MAX = 512,   /* nodes, of a block that is reordered */
    ROW_WORDS = (BLOCK_MAX + RIM_MAX) / 64,
    SLOTS = 2 * RIM_MAX,
    RANKS_PER_TASK = 2048,
};

#define RANK_NONE  UINT32_MAX
#define PRICE_NONE INT32_MAX

/* One call. */
typedef struct reordering {
    const mcd_neighbours *graph;
    mcd_node *order;
    const uint32_t *block_end;
    const uint32_t *rank; /* [node_count] in the current order */
} reordering;

/* The state of one block during its elimination. */
typedef struct block {
    mcd_node member[BLOCK_MAX], rim[RIM_MAX];
    uint32_t size, rim_size;
    uint16_t slot[SLOTS]; /* of the rim, by hashed node: its index there, from 1; 0: not in the rim */
    uint32_t words;       /* of a row that are in use */
    /* Degree, height of the tree below, and index in one number, so that the least is found without branches;
     * signed, because every processor compares signed numbers in vectors. PRICE_NONE: eliminated. */
    int32_t price[BLOCK_MAX];
    uint8_t height[BLOCK_MAX];
    uint64_t row[BLOCK_MAX][ROW_WORDS];
} block;

/* ---- one block ---- */

/* Returns the index in the rim of a node outside the block; RIM_MAX: there is no room for it. */
static uint32_t rim_position(block *own, mcd_node node)
{
    uint32_t at = node % SLOTS;
    while (own->slot[at] && own->rim[own->slot[at] - 1] != node) at = (at + 1) % SLOTS;
    if (!own->slot[at]) {
        if (own->rim_size == RIM_MAX) return RIM_MAX;
        own->rim[own->rim_size++] = node;
        own->slot[at] = (uint16_t)own->rim_size;
    }
    return own->slot[at] - 1U;
}

static inline void clear_bit(uint64_t *row, uint32_t bit)
{
    row[bit / 64] &= ~(UINT64_C(1) << bit % 64);
}

/* Without the instruction, which not every processor has, __builtin_popcountll is a call. */
static inline uint32_t count_bits(uint64_t bits)
{
    bits -= bits >> 1 & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
    return (uint32_t)(((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
}

/* Computes the price of eliminating node i. */
static void weigh(block *own, uint32_t i)
{
    uint32_t degree = 0;
    for (uint32_t word = 0; word < own->words; ++word) degree += count_bits(own->row[i][word]);
    own->price[i] = (int32_t)(((degree < 2 ? 2 : degree) << 8 | own->height[i]) * BLOCK_MAX + i);
}

/* Returns whether the block and its rim are small enough. */
static bool load_block(block *own, const reordering *run, uint32_t first)
{
    own->size = run->block_end[first] - first;
    own->rim_size = 0;
    memset(own->slot, 0, sizeof own->slot);
    if (own->size > BLOCK_MAX) return false;
    memcpy(own->member, run->order + first, own->size * sizeof *own->member);
    memset(own->row, 0, own->size * sizeof *own->row);
    for (uint32_t i = 0; i < own->size; ++i) {
        const mcd_node node = own->member[i];
        for (uint32_t at = run->graph->first[node]; at < run->graph->first[node + 1]; ++at) {
            const mcd_node other = run->graph->neighbour[at];
            const uint32_t slot = run->rank[other] - first; /* wraps if it is below */
            const uint32_t bit = slot < own->size ? slot : own->size + rim_position(own, other);
            if (bit == own->size + RIM_MAX) return false;
            own->row[i][bit / 64] |= UINT64_C(1) << bit % 64;
        }
    }
    own->words = (own->size + own->rim_size + 63) / 64;
    memset(own->height, 0, sizeof own->height);
    for (uint32_t i = 0; i < own->size; ++i) weigh(own, i);
    return true;
}

/* Returns the cheapest node, the first of equals. */
static uint32_t cheapest(const block *own)
{
    int32_t best = PRICE_NONE;
    for (uint32_t i = 0; i < own->size; ++i) best = own->price[i] < best ? own->price[i] : best;
    return (uint32_t)best % BLOCK_MAX;
}

/* Joins each neighbour of i in the block to all other neighbours of i. */
static void eliminate(block *own, uint32_t i)
{
    const uint64_t *const gone = own->row[i];
    const uint8_t height = own->height[i] < UINT8_MAX ? own->height[i] + 1 : UINT8_MAX;
    own->price[i] = PRICE_NONE;
    for (uint32_t word = 0; 64 * word < own->size; ++word)
        for (uint64_t bits = gone[word]; bits; bits &= bits - 1) {
            const uint32_t other = 64 * word + (uint32_t)__builtin_ctzll(bits);
            if (other >= own->size) return; /* the rest is the rim */
            for (uint32_t k = 0; k < own->words; ++k) own->row[other][k] |= gone[k];
            clear_bit(own->row[other], other);
            clear_bit(own->row[other], i);
            if (own->height[other] < height) own->height[other] = height;
            weigh(own, other);
        }
}

static void order_block(block *own, mcd_node *order)
{
    for (uint32_t rank = 0; rank < own->size; ++rank) {
        const uint32_t next = cheapest(own);
        order[rank] = own->member[next];
        eliminate(own, next);
    }
}

/* Orders the blocks that begin in the task's part of the order. */
static void order_blocks(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const reordering *const run = argument;
    const size_t begin = index * RANKS_PER_TASK, left = run->graph->node_count - begin;
    block own;
    for (size_t first = begin; first < begin + (left < RANKS_PER_TASK ? left : RANKS_PER_TASK); ++first)
        if (run->block_end[first] > first && load_block(&own, run, (uint32_t)first))
            order_block(&own, run->order + first);
}

macadam_status mcd_minimum_degree(mcd_node *order, const uint32_t *block_end, const mcd_neighbours *graph,
                                  const mcd_parallel *parallel, mcd_watch *watch, macadam_error *error)
{
    MCD_OWNED uint32_t *rank = NULL;
    MCD_TRY(MCD_NEW(rank, graph->node_count, error));
    for (uint32_t r = 0; r < graph->node_count; ++r) rank[order[r]] = r;
    reordering run = {.graph = graph, .order = order, .block_end = block_end, .rank = rank};
    const size_t task_count = (graph->node_count + RANKS_PER_TASK - 1) / RANKS_PER_TASK;
    return mcd_watch_for(watch, parallel, task_count, order_blocks, &run, error);
}

/* ---- the blocks of an order ---- */

/* Computes the elimination tree of the order, over ranks. `ancestor` is scratch. (Liu 1990;
 * engine/map/hierarchy.c) */
static macadam_status find_parents(const mcd_neighbours *graph, const mcd_node *order, const uint32_t *rank,
                                   uint32_t *parent, uint32_t *ancestor, mcd_watch *watch,
                                   macadam_error *error)
{
    for (uint32_t r = 0; r < graph->node_count; ++r) {
        parent[r] = ancestor[r] = RANK_NONE;
        MCD_TRY(mcd_watch_item(watch, r, graph->node_count, error));
        for (uint32_t at = graph->first[order[r]]; at < graph->first[order[r] + 1]; ++at)
            for (uint32_t w = rank[graph->neighbour[at]]; w < r;) {
                const uint32_t next = ancestor[w];
                ancestor[w] = r;
                if (next == RANK_NONE) parent[w] = r;
                w = next; /* RANK_NONE, above all ranks, ends the loop */
            }
    }
    return MACADAM_OK;
}

/* root[rank]: the root of its block; RANK_NONE: the rank is above the blocks. `size` is scratch. */
static void find_roots(size_t node_count, const uint32_t *parent, uint32_t *size, uint32_t *root)
{
    for (size_t r = 0; r < node_count; ++r) size[r] = 1;
    for (size_t r = 0; r < node_count; ++r)
        if (parent[r] != RANK_NONE) size[parent[r]] += size[r];
    for (uint32_t r = (uint32_t)node_count; r-- > 0;) {
        const bool below = parent[r] != RANK_NONE && size[parent[r]] <= BLOCK_MAX;
        root[r] = size[r] > BLOCK_MAX ? RANK_NONE : below ? root[parent[r]] : r;
    }
}

/* Puts the blocks one after another, by the ranks of their roots, each of which comes last in its block. The
 * nodes above them follow, in their old order. `old` and `next` are scratch. */
static void gather(mcd_node *order, uint32_t *block_end, size_t node_count, const uint32_t *root,
                   mcd_node *old, uint32_t *next)
{
    uint32_t count = 0;
    memcpy(old, order, node_count * sizeof *old);
    memset(block_end, 0, node_count * sizeof *block_end);
    memset(next, 0, node_count * sizeof *next);
    for (uint32_t r = 0; r < node_count; ++r)
        if (root[r] != RANK_NONE) ++next[root[r]];
    for (uint32_t r = 0; r < node_count; ++r) {
        if (root[r] != r) continue;
        const uint32_t first = count;
        count = block_end[first] = first + next[r];
        next[r] = first;
    }
    for (uint32_t r = 0; r < node_count; ++r)
        order[root[r] == RANK_NONE ? count++ : next[root[r]]++] = old[r];
}

macadam_status mcd_find_blocks(mcd_node *order, uint32_t *block_end, const mcd_neighbours *graph,
                               mcd_arena *arena, mcd_watch *watch, macadam_error *error)
{
    const size_t node_count = graph->node_count;
    uint32_t *parent, *other, *root;
    MCD_TRY(MCD_ARENA_NEW(arena, parent, node_count, error));
    MCD_TRY(MCD_ARENA_NEW(arena, other, node_count, error));
    MCD_TRY(MCD_ARENA_NEW(arena, root, node_count, error));
    for (uint32_t r = 0; r < node_count; ++r) {
        MCD_TRY(mcd_watch_item(watch, r, node_count, error));
        root[order[r]] = r; /* its rank, until `parent` is computed */
    }
    MCD_TRY(find_parents(graph, order, root, parent, other, watch, error));
    find_roots(node_count, parent, other, root);
    MCD_TRY(mcd_watch_step(watch, node_count, node_count, error));
    gather(order, block_end, node_count, root, parent, other);
    return MACADAM_OK;
}
