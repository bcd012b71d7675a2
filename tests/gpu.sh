#!/bin/sh
# gpu.sh - tests and figures on a machine with a GPU.
#
#   tests/gpu.sh pack BUILD OUT    where BUILD was configured with MACADAM_CUDA: puts the programs, the libraries
#                                  that they need and, of MACADAM_DATA, the maps of New York, NE and Milan into OUT
#   tests/gpu.sh test OUT          on the machine with the GPU: the tests
#   tests/gpu.sh sanitize OUT [NODES]  there: every question under each tool of NVIDIA's compute-sanitizer, on
#                                  maps of NODES nodes each (1 3 33 1000), as many at a time as there are threads
#   tests/gpu.sh maps OUT [large]  there: imports New York, NE, Milan and, with large, a mosaic of 24 million nodes
#   tests/gpu.sh bench OUT [ONLY]  there: the figures of the maps that were imported
#   tests/gpu.sh frontiers OUT     there: the figures of methods without a hierarchy, on the processor too
#   tests/gpu.sh papers OUT        there: the papers' figures, then and now
set -eu
command=${1:?pack, test, sanitize, maps, bench, frontiers or papers}
here=$(cd "$(dirname "$0")" && pwd)

pack() {
    build=$1 out=$2
    mkdir -p "$out/bin" "$out/lib" "$out/data"
    cp "$build"/tests/*_gpu "$build"/tests/bench/device "$build"/tests/bench/dense \
        "$build"/tests/bench/papers "$build"/tests/bench/papers_dense "$build"/tests/bench/all_pairs "$build"/tests/bench/match \
        "$build"/tests/bench/dispatch \
        "$build"/tests/bench/mosaic "$build"/bindings/cli/macadam "$out/bin"
    for test in metamorphic/metamorphic test_device_cancel; do
        if [ -x "$build/tests/$test" ]; then cp "$build/tests/$test" "$out/bin"; fi
    done
    cp "$build"/libmacadam_cuda.so "$build"/libmacadam.so.* "$build"/libmacadam_import.so.* "$build"/libmacadam_formats.so.* "$out/lib"
    for program in "$out"/bin/*; do ldd "$program" | awk '$3 ~ /^\/(lib|usr)/ { print $3 }'; done | sort -u |
        grep -v -e '/libc\.so' -e '/libm\.so' -e '/ld-linux' -e libpthread -e libdl -e libresolv -e libstdc++ -e libgcc_s | xargs -I{} cp -L {} "$out/lib"
    cp "$here/gpu.sh" "$out"
    cp "$here/support/rates_of_device.csv" "$out/data"
    if [ -n "${MACADAM_DATA:-}" ]; then
        find "$MACADAM_DATA" -name 'USA-road-*.NY.*' -exec cp {} "$out/data" \;
        find "$MACADAM_DATA" -name 'NE-topology*' -exec cp {} "$out/data" \;
        find "$MACADAM_DATA/.." -name topology2gr.py -exec cp {} "$out/data" \;
        find "$MACADAM_DATA" \( -name 'malta*.osm.pbf' -o -name 'milan*.osm.pbf' \) -exec cp {} "$out/data" \;
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
    roads=$(find data -name 'milan*.osm.pbf')
    if [ -n "$roads" ] && [ ! -f milan.mcd ]; then macadam import --quiet "$roads" --profile car -o milan.mcd; fi
    if [ "${1:-}" = large ] && [ ! -f large.mcd ]; then
        mosaic --weight duration="$(ls data/*-t.NY.gr.gz)" --weight distance="$(ls data/*-d.NY.gr.gz)" \
            --coords "$(ls data/*.NY.co.gz)" --rows 7 --columns 13 -o large
        macadam import --quiet --weight duration=large.duration.gr.gz --weight distance=large.distance.gr.gz \
            --coords large.co.gz --order large.order.txt -o large.mcd
    fi
}

# A ring with chords as a .gr file: small NODES WEIGHT
small() {
    awk -v n="$1" -v weight="$2" 'BEGIN {
        print "p sp", n, 2 * n
        for (i = 0; i < 2 * n; ++i) print "a", int(i / 2) + 1, (int(i / 2) + (i % 2 ? 7 : 1)) % n + 1, i * 7 % 11 + weight
    }'
}

# Each question once, as one command a line, over small.N.mcd.
questions() {
    map=$1
    for method in sweep near-far bellman-ford; do
        echo tree "$map" --from node:1 --method $method --quantities duration,distance
        echo tree "$map" --from node:1 --method $method --reverse
    done
    for method in expand-contract contract-expand two-phase hybrid bottom-up; do
        echo hops "$map" --from node:1 --method $method
    done
    for method in sweep near-far floyd-warshall; do echo all-pairs "$map" --method $method; done
    echo all-pairs "$map" --method floyd-warshall --paths
    echo route "$map" --from node:1 --to node:1
    echo routes "$map" --pairs pairs.csv --paths --quantities duration,distance
    echo matrix "$map" --sources places.csv --targets places.csv --quantities duration,distance
    echo reach "$map" --sources places.csv --limits 5,50
    echo connect "$map" --from node:1 --to node:1
    echo closure "$map" -o closure.npy
    echo update "$map" --weights weights.csv -o updated.mcd
}

# One question, TOOL and then the command's words, under that tool.
question() {
    # shellcheck disable=SC2086 # a question is several words
    set -- $1
    tool=$1 log=sanitizer.$$.log
    shift
    if compute-sanitizer --tool "$tool" --error-exitcode 9 --log-file "$log" \
        macadam "$@" --device cuda >"$log.answer" 2>&1 </dev/null; then
        rm -f "$log" "$log.answer"
        return 0
    fi
    echo "FAILED: $tool: macadam $*"
    tail -n 20 "$log" "$log.answer"
    return 1
}

sanitize() {
    if ! command -v compute-sanitizer >/dev/null; then
        echo "compute-sanitizer is not on the PATH: it is part of the CUDA toolkit" >&2
        exit 1
    fi
    failed=0
    printf 'arc,duration\n1,3\n2,4\n' >weights.csv
    for nodes in ${1:-1 3 33 1000}; do
        small $nodes 1 >duration.gr
        small $nodes 3 >distance.gr
        macadam import --quiet --weight duration=duration.gr --weight distance=distance.gr -o small.$nodes.mcd
        awk -v n=$nodes 'BEGIN { for (i = 0; i < 40; ++i) print "node:" i * 17 % n + 1 }' >places.csv
        awk -v n=$nodes 'BEGIN { print "source,target"; for (i = 0; i < 40; ++i) print i * 17 % n + 1 "," i * 5 % n + 1 }' >pairs.csv
        questions small.$nodes.mcd >questions.txt
        for tool in memcheck racecheck initcheck synccheck; do
            xargs -P "$(nproc)" -I{} sh "$out/gpu.sh" question "$out" "$tool {}" <questions.txt || failed=1
        done
        echo "$nodes nodes: $(wc -l <questions.txt) questions under 4 tools"
    done
    [ $failed = 0 ]
}

# Questions under conditions, on the GPU and on the processor, if the extract of Malta was packed.
conditions() {
    roads=$(find data -name 'malta*.osm.pbf')
    if [ -z "$roads" ]; then return 0; fi
    macadam import --quiet "$roads" --profile car -o roads.mcd
    printf 'lon,lat\n14.51,35.89\n14.42,35.88\n14.36,35.95\n14.25,36.04\n' >places.csv
    printf 'source_lon,source_lat,target_lon,target_lat\n14.51,35.89,14.36,35.95\n14.25,36.04,14.24,36.05\n' >pairs.csv
    printf '%s\n' 'matrix --sources places.csv --targets places.csv' 'tree --from 14.51,35.89' \
        'tree --from 14.51,35.89 --method near-far' 'routes --pairs pairs.csv --paths' \
        'reach --sources places.csv --limits 60000,600000' 'hops --from 14.51,35.89' >asked.txt
    for avoided in motorway ferry,toll; do
        while read -r name rest; do
            for device in cpu cuda; do
                # shellcheck disable=SC2086 # the rest of a question is several words
                macadam "$name" roads.mcd $rest --avoid $avoided --device $device >answer.$device </dev/null
            done
            cmp answer.cpu answer.cuda
        done <asked.txt
    done
    echo "conditions: $(wc -l <asked.txt) questions under 2 conditions, equal to the processor's"
}

case $command in
pack) pack "$2" "$3" ;;
test)
    environment "$2"
    MACADAM_TEST_MODULE=$MACADAM_CUDA_MODULE
    export MACADAM_TEST_MODULE
    failed=0
    for program in bin/test_*; do MACADAM_RATES=data/rates_of_device.csv "$program" || failed=1; done
    conditions || failed=1
    [ $failed = 0 ]
    ;;
sanitize)
    environment "$2"
    sanitize "${3:-}"
    ;;
question)
    environment "$2"
    question "$3"
    ;;
maps)
    environment "$2"
    maps "${3:-}"
    ;;
bench)
    environment "$2"
    for map in ny ne large; do
        if [ -f $map.mcd ] && [ "${3:-}" != match ]; then device $map.mcd cuda "${3:-}"; fi
    done
    if [ -z "${3:-}" ]; then
        dense cuda
        all_pairs cuda
    fi
    if [ -f milan.mcd ] && { [ -z "${3:-}" ] || [ "$3" = match ]; }; then match milan.mcd bulk 100000 10 cpu cuda; fi
    ;;
frontiers)
    environment "$2"
    graphs="$(find . -maxdepth 1 \( -name ny.mcd -o -name ne.mcd -o -name large.mcd \))"
    for threads in 1 2 "$(nproc)"; do
        # shellcheck disable=SC2086 # the graphs are several words
        papers --device cpu --threads "$threads" $graphs kron:19:16 --
    done
    # shellcheck disable=SC2086
    papers --device cuda:all --seconds 10 $graphs kron:18:16 kron:22:16 rmat:20:16 rmat:20:32 rmat:22:16 rmat:22:32 \
        uniform:2000000:64 grid:5000:5000 grid:300:300:300 -- BFS 'BFS, parents' 'BFS, expand-contract' \
        'BFS, contract-expand' 'BFS, two-phase' 'BFS, hybrid' 'BFS, bottom-up' 'BFS, divided' st-connectivity \
        'st-connectivity, path' 'SSSP, near-far' 'SSSP, near-far, 64 trees' 'SSSP, Bellman-Ford'
    ;;
papers)
    environment "$2"
    maps
    papers --max-nodes 30000000 --seconds 0.5 ny.mcd ne.mcd
    papers_dense --full --device cuda:all # each row's published figures follow it
    ;;
esac
