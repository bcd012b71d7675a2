// drive.cpp - in C++: the minutes and the instructions of a route. Run: drive town.mcd
//
// Prints:
//     1.6 min
//     Head north on West Street
//     In 150 m, turn right onto Market Street
//     In 550 m, turn left at the end of the road onto East Street
//     In 150 m, you will arrive at your destination
#include <macadam.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

using engine_owner = std::unique_ptr<macadam_engine, decltype(&macadam_engine_close)>;
using route_owner = std::unique_ptr<macadam_route, decltype(&macadam_route_free)>;

// Calls a function of the library, whose last argument is the error; throws what it says.
template <typename... parameters, typename... arguments>
static void call(macadam_status (*function)(parameters...), arguments... with)
{
    macadam_error error;
    if (function(with..., &error) != MACADAM_OK) throw std::runtime_error(error.message);
}

static engine_owner open(const char *path)
{
    macadam_engine *engine = nullptr;
    call(macadam_engine_open, &engine, path, nullptr);
    return {engine, macadam_engine_close};
}

static route_owner find(macadam_engine *engine, macadam_place from, macadam_place to)
{
    const macadam_query query = MACADAM_QUERY_INIT;
    const macadam_place waypoint[] = {from, to};
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    request.waypoint = waypoint;
    request.waypoint_count = 2;
    request.steps = true;
    macadam_route *route = nullptr;
    call(macadam_route_find, &route, engine, &query, &request);
    return {route, macadam_route_free};
}

static void print(const macadam_route *route)
{
    macadam_text_options options = MACADAM_TEXT_OPTIONS_INIT;
    options.units = MACADAM_UNITS_METRIC;
    std::printf("%.1f min\n", route->value[0] / 60000.0);
    for (size_t step = 0; step < route->step_count; ++step) {
        char text[256];
        call(macadam_route_text, text, sizeof text, route, step, &options);
        std::puts(text);
    }
}

int main(int count, char **argument)
try {
    if (count != 2) throw std::runtime_error("usage: drive FILE.mcd");
    const engine_owner engine = open(argument[1]);
    const route_owner route = find(engine.get(), macadam_node(11), macadam_node(35));
    if (!route->found) throw std::runtime_error("no route");
    print(route.get());
} catch (const std::exception &failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
