/* speed_text.c - see speed_text.h. */
#include "importers/speeds/speed_text.h"

bool mcd_speed_take(const char **at, char letter)
{
    while (**at == ' ' || **at == '\t') ++*at;
    if (**at != letter) return false;
    if (letter) ++*at;
    return true;
}

/* Reads at least one digit, and at most as many as never overflow. */
static bool take_digits(const char **at, uint64_t *number)
{
    enum { DIGITS_MAX = 18 };
    const char *const first = *at;
    for (*number = 0; **at >= '0' && **at <= '9'; ++*at)
        if (*at - first < DIGITS_MAX) *number = 10 * *number + (uint64_t)(**at - '0');
    return *at > first && *at - first <= DIGITS_MAX;
}

bool mcd_speed_take_id(const char **at, int64_t *id)
{
    uint64_t number;
    const bool is_negative = mcd_speed_take(at, '-');
    if (!take_digits(at, &number)) return false;
    *id = is_negative ? -(int64_t)number : (int64_t)number;
    return true;
}

bool mcd_speed_take_number(const char **at, uint32_t most, uint32_t *number_e3)
{
    enum { THOUSANDTHS = 1000 };
    uint64_t whole;
    (void)mcd_speed_take(at, ' ');
    if (!take_digits(at, &whole) || whole > most) return false;
    whole *= THOUSANDTHS;
    if (**at == '.') {
        const char *const first = ++*at;
        for (uint64_t unit = THOUSANDTHS / 10; **at >= '0' && **at <= '9'; ++*at, unit /= 10)
            whole += unit * (uint64_t)(**at - '0');
        if (*at == first) return false;
    }
    *number_e3 = (uint32_t)whole;
    return whole <= (uint64_t)THOUSANDTHS * most;
}

static bool take_day(const char **at, size_t *day)
{
    *day = **at && (*at)[1] ? mcd_week_day(*at) : 7;
    if (*day == 7) return false;
    *at += 2;
    return true;
}

bool mcd_speed_take_days(const char **at, uint8_t *days)
{
    size_t day, last;
    (void)mcd_speed_take(at, ' ');
    *days = **at >= '0' && **at <= '9' ? MCD_SPEED_ALL_DAYS : 0;
    if (*days) return true;
    do {
        if (**at == 'P' && (*at)[1] == 'H') {
            *at += 2;
            *days |= MCD_SPEED_HOLIDAYS;
            continue;
        }
        if (!take_day(at, &day)) return false;
        last = day;
        if (**at == '-') {
            ++*at;
            if (!take_day(at, &last)) return false;
        }
        for (; day != last; day = (day + 1) % 7) *days |= (uint8_t)(1 << day);
        *days |= (uint8_t)(1 << last);
    } while (mcd_speed_take(at, ','));
    return true;
}

bool mcd_speed_take_time(const char **at, uint16_t *step)
{
    uint64_t hour, minute;
    (void)mcd_speed_take(at, ' ');
    if (!take_digits(at, &hour) || **at != ':') return false;
    ++*at;
    if (!take_digits(at, &minute) || minute > 59 || minute % MCD_SPEED_STEP_MINUTES || hour > 24)
        return false;
    *step = (uint16_t)((60 * hour + minute) / MCD_SPEED_STEP_MINUTES);
    return *step <= MCD_SPEED_DAY_STEPS;
}
