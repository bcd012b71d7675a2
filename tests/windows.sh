#!/bin/bash
# windows.sh - builds the libraries and the command, without its server, for 64-bit Windows with Debian's mingw-w64, and
# runs unit tests, a host's program with the installed libraries, and the command under Wine. The command's files and
# answers must equal, byte for byte, those of this machine's own build:
#
#   tests/windows.sh BUILD COMMAND    for example: tests/windows.sh build/windows build/release/bindings/cli/macadam
#
# Needs g++-mingw-w64-x86-64-posix, libz-mingw-w64-dev, wine, wine64, libosmium2-dev, libprotozero-dev and libcriterion-dev. The sources of the other libraries are
# downloaded into BUILD/libraries and compiled there; the packages of this machine stay as they are.
set -euo pipefail
build=$(mkdir -p "${1:?a folder for the build}" && cd "$1" && pwd)
native=$(realpath "${2:?the command of this machine}")
source=$(cd "$(dirname "$0")/.." && pwd)
root=$build/root libraries=$build/libraries

fetch() {
    mkdir -p "$libraries/lists/partial" "$libraries/cache/archives/partial"
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian" \
        "$(. /etc/os-release && echo "$VERSION_CODENAME") main" > "$libraries/sources.list"
    local options=(-o Dir::Etc::SourceList="$libraries/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o Dir::State::Lists="$libraries/lists" -o Dir::Cache="$libraries/cache" -o APT::Sandbox::User=root)
    apt-get "${options[@]}" -qq update
    (cd "$libraries" && apt-get "${options[@]}" -qq source --download-only \
        bzip2 cjson expat libdeflate libzstd lz4 minizip protobuf-c)
    for archive in "$libraries"/*.orig.tar.*z*; do
        case $archive in *.asc) ;; *) tar -xf "$archive" -C "$libraries" ;; esac
    done
}

compile() { # NAME VERSION FLAGS FILES...: the static library NAME, for pkg-config too
    local name=$1 version=$2 flags=$3 objects=$build/objects/$1
    mkdir -p "$objects" "$root/lib/pkgconfig"
    # shellcheck disable=SC2016 # for the inner shell
    printf '%s\n' "${@:4}" | xargs -P "${JOBS:-$(nproc)}" -I{} sh -c \
        'exec x86_64-w64-mingw32-gcc-posix -O2 -w -I"$1" $2 -c "$4" \
            -o "$3/$(basename "$(dirname "$4")")_$(basename "$4" .c).o"' - "$root/include" "$flags" "$objects" {}
    x86_64-w64-mingw32-ar rc "$root/lib/$name.a" "$objects"/*.o
    printf 'Name: %s\nDescription: for Windows\nVersion: %s\nCflags: -I%s\nLibs: -L%s -l%s\n' \
        "$name" "$version" "$root/include" "$root/lib" "${name#lib}" > "$root/lib/pkgconfig/$name.pc"
}

compile_libraries() {
    cd "$libraries"
    mkdir -p "$root/include/cjson" "$root/include/protobuf-c"
    cp zstd-*/lib/*.h lz4-*/lib/*.h libdeflate-*/libdeflate.h libexpat-*/expat/lib/expat*.h bzip2-*/bzlib.h "$root/include"
    cp cJSON-*/cJSON.h "$root/include/cjson"
    cp protobuf-c-*/protobuf-c/protobuf-c.h "$root/include/protobuf-c"
    mkdir -p "$root/include/minizip"
    cp minizip/{unzip,zip,ioapi}.h "$root/include/minizip"
    cp -r /usr/include/osmium /usr/include/protozero "$root/include"
    printf '#define BYTEORDER 1234\n#define XML_NS 1\n#define XML_DTD 1\n#define XML_CONTEXT_BYTES 1024\n' \
        > "$root/include/expat_config.h"
    compile libzstd 1.5.4 -DZSTD_DISABLE_ASM zstd-*/lib/{common,compress,decompress}/*.c
    compile liblz4 1.9.4 "" lz4-*/lib/*.c
    compile libdeflate 1.14 "" libdeflate-*/lib/*.c libdeflate-*/lib/x86/*.c
    compile libexpat 2.5.0 -DXML_STATIC libexpat-*/expat/lib/xml{parse,role,tok}.c
    compile libminizip 1.1 "" minizip/{unzip,zip,ioapi}.c
    compile libbz2 1.0.8 "" bzip2-*/{blocksort,huffman,crctable,randtable,compress,decompress,bzlib}.c
    compile libcjson 1.7.15 -DCJSON_HIDE_SYMBOLS cJSON-*/cJSON.c
    compile libprotobuf-c 1.4.1 "" protobuf-c-*/protobuf-c/protobuf-c.c
    cd "$source"
    touch "$root/complete"
}
[ -e "$libraries/sources.list" ] || fetch
[ -e "$root/complete" ] || compile_libraries
cp -r /usr/include/criterion "$root/include" # only its headers: tests/support/bare_runner.c stands in for the library

export PKG_CONFIG_LIBDIR=$root/lib/pkgconfig
cmake -G Ninja -S "$source" -B "$build" \
    -DCMAKE_TOOLCHAIN_FILE="$source/cmake/windows.cmake" -DWINDOWS_ROOT="$root" -DCMAKE_BUILD_TYPE=Release \
    -DMACADAM_WERROR=ON -DMACADAM_CUDA=OFF -DMACADAM_SERVE=OFF -DMACADAM_GEOTIFF=OFF
cmake --build "$build" --target all tests_unit -j "${JOBS:-$(nproc)}"

# ---- under Wine ----

work=$build/compared
rm -rf "$work"
mkdir -p "$work/native" "$work/windows"
export WINEPREFIX=$build/wine WINEDEBUG=-all
export WINEPATH="Z:$build;Z:/usr/x86_64-w64-mingw32/lib;Z:$(dirname "$(x86_64-w64-mingw32-g++-posix -print-file-name=libstdc++-6.dll)")"
wine=$(command -v wine64 || command -v wine)

"$wine" "$build/bindings/cli/macadam.exe" --version > /dev/null 2>&1 # Wine makes its folder, and says so
ctest --test-dir "$build" --output-on-failure --label-regex '^unit$'

# A host's program finds and loads the libraries as they are installed.
cmake --install "$build" --prefix "$build/installed" > /dev/null
cat > "$build/host.c" << 'END'
#include <macadam.h>
#include <macadam_formats.h>
#include <string.h>
int main(void)
{
    macadam_engine *engine;
    macadam_error error = {.message = ""};
    const macadam_status status = macadam_engine_open(&engine, "missing.mcd", NULL, &error);
    macadam_text text;
    if (status != MACADAM_E_IO || !strstr(error.message, "missing.mcd")) return 1;
    if (macadam_format_polyline(&text, (double[]){-120.2}, (double[]){38.5}, 1, 5, &error) != MACADAM_OK) return 1;
    const int differs = strcmp(text.data, "_p~iF~ps|U") != 0;
    macadam_text_free(&text);
    return differs;
}
END
x86_64-w64-mingw32-gcc-posix -I"$build/installed/include" "$build/host.c" -L"$build/installed/lib" -lmacadam -lmacadam_formats \
    -o "$build/installed/bin/host.exe"
"$wine" "$build/installed/bin/host.exe"

# A grid of streets, some of them one way, with coordinates.
awk -v side=40 -v work="$work" 'BEGIN {
    srand(25)
    for (y = 0; y < side; ++y) for (x = 0; x < side; ++x) {
        id = y * side + x + 1
        nodes = nodes sprintf("v %d %d %d\n", id, 9180000 + 1300 * x, 45460000 + 900 * y)
        if (x + 1 < side) { add(id, id + 1); if (rand() < 0.9) add(id + 1, id) }
        if (y + 1 < side) { add(id, id + side); if (rand() < 0.9) add(id + side, id) }
    }
    printf "p sp %d %d\n%s", side * side, count, arcs > (work "/map.gr")
    printf "p aux sp co %d\n%s", side * side, nodes > (work "/map.co")
}
function add(x, y) { arcs = arcs sprintf("a %d %d %d\n", x, y, 1 + int(rand() * 1000)); ++count }'

run() { # NAME ARGUMENTS...: both commands, in folders of their own; standard output and status are compared
    local status=0
    (cd "$work/native" && "$native" "${@:2}" --quiet > "$1.out" 2> "$1.err") || status=$?
    echo "$status" > "$work/native/$1.status"
    status=0
    (cd "$work/windows" && "$wine" "$build/bindings/cli/macadam.exe" "${@:2}" --quiet > "$1.out" 2> "$1.err") || status=$?
    echo "$status" > "$work/windows/$1.status"
}
printf 'node:1\nnode:777\nnode:1600\nnode:40\n' > "$work/places.csv"
printf 'source,target\n1,1600\n777,40\n1600,3\n' > "$work/pairs.csv"
printf 'lon,lat\n9.2001,45.4701\n9.2203,45.4805\n9.1822,45.4611\n' > "$work/points.csv"
printf 'tail,head,time\n1,2,5000\n2,3,\n' > "$work/weights.csv"
cp "$source/examples/town.osm" "$work"
head -c 5000 "$native" > "$work/damaged.mcd"

run grid import --weight time=../map.gr --coords ../map.co -o grid.mcd
run grid_again import --weight time=../map.gr --coords ../map.co --threads 1 -o grid.mcd
run town import ../town.osm -o town.mcd
run ready ready grid.mcd -o ready.mcd
run update update ready.mcd --weights ../weights.csv -o updated.mcd
for map in grid ready updated town; do run "info_$map" info "$map.mcd" --verify; done
for map in grid ready updated; do
    run "tree_$map" tree "$map.mcd" --from node:1
    run "route_$map" route "$map.mcd" --from node:1 --via node:777 --to node:1600 --format geojson
    run "routes_$map" routes "$map.mcd" --pairs ../pairs.csv --paths
    run "matrix_$map" matrix "$map.mcd" --sources ../places.csv --targets ../places.csv
    run "points_$map" matrix "$map.mcd" --sources ../points.csv --targets ../places.csv --threads 2
    run "isochrone_$map" isochrone "$map.mcd" --from node:777 --limits 5000,9000 --format geojson
    run "snap_$map" snap "$map.mcd" --places ../points.csv
    run "trip_$map" trip "$map.mcd" --places ../places.csv --format json
done
run npy tree grid.mcd --from node:1 --format npy -o tree.npy
run reach reach grid.mcd --sources ../places.csv --limits 5000
run hops hops grid.mcd --from node:1
run connect connect grid.mcd --from node:1 --to node:1600
run arcs arcs town.mcd
run over import --weight time=../map.gr -o grid.mcd # over a file that exists, and without coordinates
run missing info missing.mcd
run damaged info ../damaged.mcd
run folder import --weight time=../map.gr -o .
diff -r --exclude=missing.err "$work/native" "$work/windows"
if compgen -G "$work/windows/*.tmp" > /dev/null; then echo "a temporary file is left" >&2 && exit 1; fi
echo "windows: $(find "$work/native" -name '*.status' | wc -l) commands give the same files and answers"
