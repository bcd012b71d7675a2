#!/bin/bash
# macos.sh - builds the libraries and the command, without its server, for macOS on 64-bit ARM with the cross compiler of
# PyPI's package ziglang:
#
#   tests/macos.sh BUILD    for example: tests/macos.sh build/macos
#
# It compiles and links everything of ours, but nothing is run: there is no macOS here. The libraries of others for macOS are
# not at hand: only their headers are, this machine's, and the linker leaves their functions undefined.
set -euo pipefail
build=$(mkdir -p "${1:?a folder for the build}" && cd "$1" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
tools=$build/tools
mkdir -p "$tools/include"
[ -x "$tools/venv/bin/python" ] || python3 -m venv "$tools/venv"
"$tools/venv/bin/python" -m pip install --quiet --disable-pip-version-check ziglang

tool() { # NAME ARGUMENTS...
    printf '#!/bin/sh\nexec "%s/venv/bin/python" -m ziglang %s "$@"\n' "$tools" "${*:2}" > "$tools/$1"
    chmod +x "$tools/$1"
}
tool zig-C cc -target aarch64-macos
tool zig-CXX c++ -target aarch64-macos
tool zig-ar ar
tool zig-ranlib ranlib

multiarch=$(gcc -print-multiarch)
for header in bzlib.h cjson expat.h expat_config.h expat_external.h libdeflate.h lz4.h lz4frame.h lz4hc.h minizip osmium protobuf-c protozero \
    zconf.h zlib.h zstd.h zstd_errors.h; do
    for folder in /usr/include "/usr/include/$multiarch"; do
        if [ -e "$folder/$header" ]; then cp -r "$folder/$header" "$tools/include"; fi
    done
done
for library in libcjson libdeflate liblz4 libprotobuf-c libzstd; do
    printf 'Name: %s\nDescription: its headers\nVersion: %s\nCflags: -I%s\n' \
        "$library" "$(pkg-config --modversion "$library")" "$tools/include" > "$tools/$library.pc"
done
for library in bz2 expat minizip z; do "$tools/zig-ar" rc "$tools/lib$library.a"; done

PKG_CONFIG_LIBDIR=$tools cmake -G Ninja -S "$source" -B "$build" -DCMAKE_TOOLCHAIN_FILE="$source/cmake/macos.cmake" \
    -DMACOS_TOOLS="$tools" -DCMAKE_BUILD_TYPE=Release -DMACADAM_TESTS=OFF -DMACADAM_CUDA=OFF -DMACADAM_SERVE=OFF -DMACADAM_GEOTIFF=OFF
cmake --build "$build" -j "${JOBS:-$(nproc)}"
for made in "$build"/libmacadam*.0.*.*.dylib "$build/bindings/cli/macadam"; do
    file "$made" | grep -E 'Mach-O 64-bit arm64' # or fail
done
