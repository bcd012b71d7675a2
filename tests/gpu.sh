#!/bin/sh
# gpu.sh - tests and figures on a machine with a GPU.
#
#   tests/gpu.sh pack BUILD OUT    where BUILD was configured with MACADAM_CUDA: puts the programs, the libraries
#                                  that they need and, of MACADAM_DATA, the maps of New York and NE into OUT
#   tests/gpu.sh test OUT          on the machine with the GPU: the tests
#   tests/gpu.sh maps OUT [large]  there: imports New York, NE and, if asked, a mosaic of 24 million nodes
#   tests/gpu.sh bench OUT [ONLY]  there: the figures of the maps that were imported
#   tests/gpu.sh frontiers OUT     there: the figures of methods without a hierarchy
#   tests/gpu.sh papers OUT        there: the papers' figures, then and now
set -eu
command=${1:?pack, test, maps, bench, frontiers or papers}
here=$(cd "$(dirname "$0")" && pwd)

pack() {
    build=$1 out=$2
    mkdir -p "$out/bin" "$out/lib" "$out/data"
    cp "$build"/tests/*_gpu "$build"/tests/bench/device "$build"/tests/bench/dense "$build"/tests/bench/frontier \
        "$build"/tests/bench/papers "$build"/tests/bench/papers_dense "$build"/tests/bench/all_pairs \
        "$build"/tests/bench/mosaic "$build"/bindings/cli/macadam "$out/bin"
    if [ -x "$build"/tests/test_snapped_device ]; then cp "$build"/tests/test_snapped_device "$out/bin"; fi
    cp "$build"/libmacadam_cuda.so "$build"/libmacadam_import.so.* "$out/lib"
    for program in "$out"/bin/*; do ldd "$program" | awk '$3 ~ /^\/(lib|usr)/ { print $3 }'; done | sort -u |
        grep -v -e '/libc\.so' -e '/libm\.so' -e '/ld-linux' -e libpthread -e libdl -e libresolv -e libstdc++ -e libgcc_s | xargs -I{} cp -L {} "$out/lib"
    cp "$here/gpu.sh" "$out"
    if [ -n "${MACADAM_DATA:-}" ]; then
        find "$MACADAM_DATA" -name 'USA-road-*.NY.*' -exec cp {} "$out/data" \;
        find "$MACADAM_DATA" -name 'NE-topology*' -exec cp {} "$out/data" \;
        find "$MACADAM_DATA/.." -name topology2gr.py -exec cp {} "$out/data" \;
    fi
}

environment() {
    out=$(cd "$1" && pwd)
    LD_LIBRARY_PATH="$out/lib" MACADAM_CUDA_MODULE="$out/lib/libmacadam_cuda.so"
    PATH="$out/bin:$PATH"
    export LD_LIBRARY_PATH MACADAM_CUDA_MODULE PATH
    cd "$out"
}

maps() {
    if [ ! -f ny.mcd ]; then
        macadam import --quiet --weight duration="$(ls data/*-t.NY.gr.gz)" --weight distance="$(ls data/*-d.NY.gr.gz)" \
            --coords "$(ls data/*.NY.co.gz)" -o ny.mcd
    fi
    if [ ! -f ne.mcd ]; then
        LD_LIBRARY_PATH='' python3 data/topology2gr.py data/NE-topology.gr.xz data/NE
        macadam import --quiet --weight duration=data/NE.duration.gr.gz --weight distance=data/NE.distance.gr.gz \
            -o ne.mcd
    fi
    if [ "${1:-}" = large ] && [ ! -f large.mcd ]; then
        mosaic --weight duration="$(ls data/*-t.NY.gr.gz)" --weight distance="$(ls data/*-d.NY.gr.gz)" \
            --coords "$(ls data/*.NY.co.gz)" --rows 7 --columns 13 -o large
        macadam import --quiet --weight duration=large.duration.gr.gz --weight distance=large.distance.gr.gz \
            --coords large.co.gz --order large.order.txt -o large.mcd
    fi
}

case $command in
pack) pack "$2" "$3" ;;
test)
    environment "$2"
    MACADAM_TEST_MODULE=$MACADAM_CUDA_MODULE
    export MACADAM_TEST_MODULE
    for program in bin/test_*; do "$program"; done
    ;;
maps)
    environment "$2"
    maps "${3:-}"
    ;;
bench)
    environment "$2"
    for map in ny ne large; do
        if [ -f $map.mcd ]; then device $map.mcd cuda "${3:-}"; fi
    done
    if [ -z "${3:-}" ]; then
        dense cuda
        all_pairs cuda
    fi
    ;;
frontiers)
    environment "$2"
    for map in ne large; do
        if [ -f $map.mcd ]; then frontier $map.mcd; fi
    done
    frontier rmat:20:16 rmat:20:32 rmat:22:16 rmat:22:32 uniform:2000000:64 grid:5000:5000 grid:300:300:300
    ;;
papers)
    environment "$2"
    maps
    papers --max-nodes 30000000 --seconds 0.5 ny.mcd ne.mcd
    papers_dense --full --device cuda:all # each row's published figures follow it
    ;;
esac
