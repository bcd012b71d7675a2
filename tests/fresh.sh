#!/bin/bash
# fresh.sh [FOLDER] - follows README, the guide and the other pages as a new user does, on a new machine. Makes a bare
# Debian 12 in FOLDER (debootstrap, about 3 GB), a user who may use sudo, and a clone of HEAD. Then guide.py --fresh
# types every command, installations included, and compares the output. Needs root, and takes half an hour on two
# cores. A second run with the same FOLDER keeps what is installed there, but not the clone.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
machine=${1:-$(mktemp -d)}
if [ "$(id -u)" != 0 ]; then echo "fresh.sh needs root" >&2; exit 2; fi
if [ ! -e "$machine/usr/bin/python3" ]; then
    debootstrap --variant=minbase --include=ca-certificates,python3,sudo bookworm "$machine"
fi
trap 'umount "$machine/proc" "$machine/dev"' EXIT
mount --bind /proc "$machine/proc"
mount --bind /dev "$machine/dev"
cp /etc/resolv.conf /etc/hosts "$machine/etc/"
certificates=/etc/ssl/certs/ca-certificates.crt # those of this machine, for pip as well
cp "$certificates" "$machine$certificates"

chroot "$machine" id user >/dev/null 2>&1 || chroot "$machine" useradd --create-home --shell /bin/bash user
echo "user ALL=(ALL) NOPASSWD: ALL" >"$machine/etc/sudoers.d/user"
rm -rf "$machine/home/user/macadam"
mkdir "$machine/home/user/macadam"
git -C "$root" archive HEAD | tar -x -C "$machine/home/user/macadam"
chroot "$machine" chown -R user: /home/user/macadam
chroot --userspec=user "$machine" env -i HOME=/home/user LANG=C.UTF-8 PIP_CERT="$certificates" \
    PATH=/usr/local/bin:/usr/bin:/bin python3 /home/user/macadam/tests/guide.py --fresh
