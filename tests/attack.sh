#!/bin/sh
# attack.sh - an hour of attacks, or as many seconds as ATTACK_SECONDS says. Each part says how to repeat what it found.
#
#   ATTACK_SECONDS=3600 tests/attack.sh [MAP.osm.pbf]    MAP: what the soak is done on
#
# Builds what it needs in build/release, build/asan and build/tsan.
set -eu
cd "$(dirname "$0")/.."
seconds=${ATTACK_SECONDS:-3600}
map=${1:-}
seed=$(date +%s)
export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}" PYTHONDONTWRITEBYTECODE=1

build() {
    preset=$1
    shift
    cmake --preset "$preset" >/dev/null
    cmake --build --preset "$preset" --target "$@"
}
build release attack storm soak failing_calls macadam_cli test_progress
build asan attack
build tsan storm

# Shares of the time, in percent: 60 hostile input, 20 starved and stopped commands, 10 threads, 10 soak.
for preset in release asan; do
    for kind in edge-files maps requests; do
        build/$preset/tests/attack/attack $kind $((seconds * 10 / 100)) "$seed"
    done
done
export MACADAM_COMMAND="$PWD/build/release/bindings/cli/macadam" ATTACK_SEED="$seed"
export ATTACK="$PWD/build/release/tests/attack/attack"
export ATTACK_FAILING_CALLS="$PWD/build/release/tests/attack/libfailing_calls.so"
for part in starve stop; do ATTACK_SECONDS=$((seconds * 10 / 100)) python3 tests/attack/$part.py; done
build/tsan/tests/attack/storm $((seconds * 10 / 100))
if [ -n "$map" ]; then
    folder=$(mktemp -d)
    "$MACADAM_COMMAND" import "$map" --quiet -o "$folder/map.mcd"
    MACADAM_PROGRESS_MAP="$folder/map.mcd" build/release/tests/test_progress --filter 'progress/calls_on*'
    build/release/tests/attack/soak "$folder/map.mcd" $((seconds * 10 / 100)) >"$folder/soak.csv"
    python3 tests/attack/soak.py "$folder/soak.csv" "$folder/soak.svg"
    echo "the soak's graph: $folder/soak.svg"
fi
