#!/bin/bash
# aarch64.sh - builds everything for 64-bit ARM with Debian's cross compiler and runs the tests under QEMU:
#
#   tests/aarch64.sh BUILD [CTEST_OPTION...]    for example: tests/aarch64.sh build/aarch64 -R test_matrix
#
# Needs g++-aarch64-linux-gnu and qemu-user-static. The libraries for ARM are downloaded into BUILD/root; the packages
# of this machine stay as they are.
set -euo pipefail
build=$(mkdir -p "${1:?a folder for the build}" && cd "$1" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
root=$build/root

# The libraries, with what they need themselves, from a package system of its own.
fetch() {
    local own=$build/packages
    mkdir -p "$own/lists/partial" "$own/archives/partial" "$root"
    : > "$own/status"
    local options=(-o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State="$own"
        -o Dir::State::status="$own/status" -o Dir::State::lists="$own/lists" -o Dir::Cache="$own"
        -o Debug::NoLocking=1 -o APT::Sandbox::User=root)
    apt-get "${options[@]}" -qq update
    (cd "$own/archives" && apt-get "${options[@]}" -qq download \
        libprotobuf-c-dev libprotobuf-c1 libdeflate-dev libdeflate0 zlib1g-dev zlib1g libzstd-dev libzstd1 \
        liblz4-dev liblz4-1 libexpat1-dev libexpat1 libminizip-dev libminizip1 libbz2-dev libbz2-1.0 libcjson-dev libcjson1 \
        libgeos-dev libgeos-c1v5 libgeos3.11.1 \
        libprotozero-dev libosmium2-dev libboost1.74-dev libboost-dev) # headers only
    for package in "$own"/archives/*.deb; do dpkg-deb -x "$package" "$root"; done
    mkdir -p "$root/usr/include/criterion" # only its headers: tests/support/bare_runner.c stands in for the library
    cp -r /usr/include/criterion "$root/usr/include"
    touch "$root/complete"
}
[ -e "$root/complete" ] || fetch

export PKG_CONFIG_LIBDIR=$root/usr/lib/aarch64-linux-gnu/pkgconfig:$root/usr/share/pkgconfig
export PKG_CONFIG_SYSROOT_DIR=$root
cmake -G Ninja -S "$source" -B "$build" -DCMAKE_TOOLCHAIN_FILE="$source/cmake/aarch64.cmake" -DAARCH64_ROOT="$root" \
    -DCMAKE_BUILD_TYPE=Release -DMACADAM_WERROR=ON -DMACADAM_CUDA=OFF -DMACADAM_SERVE=OFF -DMACADAM_GEOTIFF=OFF
cmake --build "$build" --target macadam_cli tests_unit tests_kernel tests_conformance tests_device import_real
# test_progress measures how long calls do not ask, which says nothing under an emulator.
ctest --test-dir "$build" --output-on-failure --label-regex "^(unit|kernel|conformance)$" --exclude-regex '^test_progress$' "${@:2}"
