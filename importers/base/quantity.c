/* quantity.c - see quantity.h. */
#include "importers/base/quantity.h"
#include "engine/base/utf8.h"

static const char name_characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

static macadam_status check_name(const char *name, macadam_error *error)
{
    if (!name || !*name) return mcd_fail_invalid(error, "a quantity has no name");
    if (strlen(name) >= MCD_NAME_BYTES)
        return mcd_fail_invalid(error, "the quantity name \"%.40s\" is longer than %d characters", name,
                                MCD_NAME_BYTES - 1);
    if (strspn(name, name_characters) != strlen(name))
        return mcd_fail_invalid(
            error, "the quantity name \"%s\" has characters other than letters, digits, '_' and '-'", name);
    return MACADAM_OK;
}

macadam_status mcd_quantity_check(const char *const *given, size_t count, macadam_error *error)
{
    if (count == 0 || !given) return mcd_fail_invalid(error, "no quantity is given");
    if (count <= MCD_QUANTITY_MAX) return MACADAM_OK;
    return mcd_fail_invalid(error, "%zu quantities are more than %d", count, MCD_QUANTITY_MAX);
}

macadam_status mcd_quantity_name(mcd_map *map, const char *const *name, const char *const *unit, size_t count,
                                 macadam_error *error)
{
    MCD_TRY(mcd_quantity_check(name, count, error));
    for (size_t quantity = 0; quantity < count; ++quantity) {
        MCD_TRY(check_name(name[quantity], error));
        for (size_t other = 0; other < quantity; ++other)
            if (strcmp(name[quantity], name[other]) == 0)
                return mcd_fail_invalid(error, "the quantity \"%s\" is named twice", name[quantity]);
        const char *const its_unit = unit && unit[quantity] ? unit[quantity] : "";
        if (strlen(its_unit) >= MCD_NAME_BYTES)
            return mcd_fail_invalid(error, "the unit \"%.40s\" is longer than %d characters", its_unit,
                                    MCD_NAME_BYTES - 1);
        strcpy(map->quantity[quantity], name[quantity]);
        strcpy(map->unit[quantity], its_unit);
        mcd_utf8_repair(map->unit[quantity]);
    }
    map->quantity_count = count;
    return MACADAM_OK;
}
