#!/usr/bin/env bash
# Runs `make demo` and then `make test` of the last commit in a fresh Debian 12 (a chroot with git and make alone), and
# prints the seconds that each took, downloads included, and those of all processors. Needs root and debootstrap; takes
# packages from where this machine takes its own. `tools/fresh_machine.sh demo` stops after the first.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/cpu_seconds.sh
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Codename: bookworm' | head -n 1)
root=$(mktemp -d)
clean_up() {
  umount "$root/proc" "$root/dev/pts" 2>/dev/null || true
  rm -rf --one-file-system "$root"
}
trap clean_up EXIT

debootstrap --variant=minbase --include=ca-certificates,git,make bookworm "$root" "$mirror" >/dev/null
mount -t proc proc "$root/proc"
mount --bind /dev/pts "$root/dev/pts"
cp /etc/resolv.conf "$root/etc/"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
[ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$root/etc/"
git clone -q . "$root/sunmao"
goals=(demo test)
[ "${1:-}" != demo ] || goals=(demo)
for goal in "${goals[@]}"; do
  start=$SECONDS
  cpu_seconds
  cpu=$CPU_SECONDS
  chroot "$root" make --no-print-directory -C /sunmao "$goal" </dev/null 2>&1
  cpu_seconds
  printf '== %s: ok, %d s, %d s of processors\n' "$goal" $((SECONDS - start)) $((CPU_SECONDS - cpu))
done
