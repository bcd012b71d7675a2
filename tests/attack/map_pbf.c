/* map_pbf.c - see map_pbf.h. The messages are those of osmformat.proto and fileformat.proto. */
#include "tests/attack/map_pbf.h"

#include "tests/attack/attack.h"
#include "tests/attack/map_text.h"
#include "tests/support/pbf_message.h"

#include <string.h>
#include <zlib.h>

enum { NODES = 14, WAYS = 9, STRINGS_MAX = 64 };

/* ---- a block ---- */

/* The strings of a block; index 0 is empty, as the format demands. */
typedef struct strings {
    const char *text[STRINGS_MAX];
    size_t count;
} strings;

static uint64_t index_of(strings *all, const char *text)
{
    for (size_t i = 1; i < all->count; ++i)
        if (strcmp(all->text[i], text) == 0) return i;
    if (all->count == STRINGS_MAX) return 0;
    all->text[all->count] = text;
    return all->count++;
}

/* Some number that is likely to be wrong. */
static uint64_t lie(test_rng *rng, uint64_t truth)
{
    static const uint64_t choice[] = {0, 1, 255, UINT32_MAX, UINT64_C(1) << 62, UINT64_MAX};
    return attack_chance(rng, 150) ? choice[rng_below(rng, 6)] : truth;
}

static void put_dense(message *group, test_rng *rng)
{
    static message dense, id, lat, lon, tags;
    dense.bytes = id.bytes = lat.bytes = lon.bytes = tags.bytes = 0;
    int64_t last_lat = 0, last_lon = 0;
    for (int64_t i = 0; i < NODES; ++i) {
        const int64_t new_lat = 500000000 + 10000 * rng_below(rng, 20),
                      new_lon = 100000000 + 10000 * rng_below(rng, 20);
        put_signed(&id, (int64_t)lie(rng, 1));
        put_signed(&lat, (int64_t)lie(rng, (uint64_t)(new_lat - last_lat)));
        put_signed(&lon, (int64_t)lie(rng, (uint64_t)(new_lon - last_lon)));
        last_lat = new_lat, last_lon = new_lon;
        put_varint(&tags, lie(rng, 0));
    }
    put_message(&dense, 1, &id);
    put_message(&dense, 8, &lat);
    put_message(&dense, 9, &lon);
    if (attack_chance(rng, 4)) put_message(&dense, 10, &tags);
    put_message(group, 2, &dense);
}

static void put_tags(message *to, strings *all, test_rng *rng, const char *first_key, const char *first_value)
{
    static message keys, values;
    keys.bytes = values.bytes = 0;
    put_varint(&keys, index_of(all, first_key));
    put_varint(&values, index_of(all, first_value));
    for (uint32_t i = rng_below(rng, 3); i > 0; --i) {
        const char *key, *value;
        map_text_tag(rng, &key, &value);
        put_varint(&keys, lie(rng, index_of(all, key)));
        if (!attack_chance(rng, 150)) put_varint(&values, lie(rng, index_of(all, value)));
    }
    put_message(to, 2, &keys);
    put_message(to, 3, &values);
}

static void put_way(message *group, strings *all, test_rng *rng, uint64_t id)
{
    static const char *const road[] = {"primary", "residential", "service", "footway"};
    static message way, refs;
    way.bytes = refs.bytes = 0;
    int64_t last = 0;
    for (uint32_t i = rng_below(rng, 7); i > 0; --i) {
        const int64_t node = 1 + rng_below(rng, NODES);
        put_signed(&refs, (int64_t)lie(rng, (uint64_t)(node - last)));
        last = node;
    }
    put_number(&way, 1, lie(rng, id));
    put_tags(&way, all, rng, "highway", road[rng_below(rng, 4)]);
    put_message(&way, 8, &refs);
    put_message(group, 3, &way);
}

static void put_relation(message *group, strings *all, test_rng *rng, uint64_t id)
{
    static const char *const role[] = {"from", "via", "to"};
    static message relation, roles, members, types;
    relation.bytes = roles.bytes = members.bytes = types.bytes = 0;
    int64_t last = 0;
    for (uint32_t i = 0; i < 3; ++i) {
        const int64_t member = 1 + rng_below(rng, WAYS);
        put_varint(&roles, lie(rng, index_of(all, role[i])));
        put_signed(&members, (int64_t)lie(rng, (uint64_t)(member - last)));
        put_varint(&types, lie(rng, i == 1 ? rng_below(rng, 2) : 1));
        last = member;
    }
    put_number(&relation, 1, lie(rng, id));
    put_tags(&relation, all, rng, "type", "restriction");
    put_message(&relation, 8, &roles);
    put_message(&relation, 9, &members);
    put_message(&relation, 10, &types);
    put_message(group, 4, &relation);
}

static void make_block(message *block, test_rng *rng)
{
    static message group, table;
    strings all = {{""}, 1};
    group.bytes = table.bytes = block->bytes = 0;
    put_dense(&group, rng);
    for (uint64_t id = 1; id <= WAYS; ++id) put_way(&group, &all, rng, id);
    for (uint64_t id = 1; id <= 3; ++id) put_relation(&group, &all, rng, id);
    for (size_t i = 0; i < all.count; ++i) put_bytes(&table, 1, all.text[i], strlen(all.text[i]));
    put_message(block, 1, &table);
    put_message(block, 2, &group);
    if (attack_chance(rng, 10)) put_number(block, 17, lie(rng, 100));
    if (attack_chance(rng, 60)) block->data[rng_below(rng, (uint32_t)block->bytes)] ^= 1 << rng_below(rng, 8);
}

/* ---- a file ---- */

static void write_blob(FILE *to, const char *type, const message *raw, test_rng *rng)
{
    static message blob, header;
    static unsigned char packed[2 * MESSAGE_BYTES];
    uLongf packed_bytes = sizeof packed;
    blob.bytes = header.bytes = 0;
    if (attack_chance(rng, 3)) {
        put_bytes(&blob, 1, raw->data, raw->bytes);
    } else {
        compress(packed, &packed_bytes, raw->data, raw->bytes);
        if (attack_chance(rng, 40)) packed_bytes -= rng_below(rng, (uint32_t)packed_bytes);
        if (attack_chance(rng, 40)) packed[rng_below(rng, 40)] ^= 1;
        put_number(&blob, 2, attack_chance(rng, 20) ? rng_below(rng, 1u << 30) : lie(rng, raw->bytes));
        put_bytes(&blob, 3, packed, packed_bytes);
    }
    put_bytes(&header, 1, type, strlen(type));
    put_number(&header, 3, lie(rng, blob.bytes));
    const uint64_t length = lie(rng, header.bytes);
    const unsigned char size[] = {(unsigned char)(length >> 24), (unsigned char)(length >> 16),
                                  (unsigned char)(length >> 8), (unsigned char)length};
    fwrite(size, 1, sizeof size, to);
    fwrite(header.data, 1, header.bytes, to);
    fwrite(blob.data, 1, blob.bytes, to);
}

void map_pbf(FILE *to, test_rng *rng)
{
    static message block;
    block.bytes = 0;
    put_bytes(&block, 4, "OsmSchema-V0.6", 14);
    put_bytes(&block, 4, "DenseNodes", 10);
    write_blob(to, "OSMHeader", &block, rng);
    for (uint32_t i = 1 + attack_chance(rng, 4); i > 0; --i) {
        make_block(&block, rng);
        write_blob(to, attack_chance(rng, 100) ? "Unknown" : "OSMData", &block, rng);
    }
}
