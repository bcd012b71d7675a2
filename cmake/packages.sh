# packages.sh - installs the Debian packages that the command needs, and those in $packages: sourced, or with sh.
packages="build-essential cmake ninja-build pkg-config python3 zlib1g-dev libbz2-dev libdeflate-dev libexpat1-dev libminizip-dev
libprotobuf-c-dev protobuf-c-compiler libosmium2-dev libprotozero-dev liblz4-dev libzstd-dev libcjson-dev ${packages:-}"
if ! dpkg -s $packages >/dev/null 2>&1; then
    if [ "$(id -u)" -eq 0 ]; then as_root=; else as_root=sudo; fi
    $as_root apt-get update
    $as_root apt-get install -y --no-install-recommends $packages
fi
