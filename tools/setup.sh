#!/usr/bin/env bash
# tools/setup.sh [build|test|check|view|package]: installs what building, testing, linting and sanitizers, tests of pages
# in a browser, or packages and their tests need. Each stage has what building needs, and each after it what testing needs:
# Debian packages (as root or with passwordless sudo; otherwise it prints the command to run and stops) and Python
# packages in .venv. Idempotent.
set -euo pipefail
cd "$(dirname "$0")/.."

stage=${1:-build}
exec 9<tools/setup.sh  # several make targets may ask at once
flock 9
packages=(g++ cmake ninja-build ccache mold llvm-19-dev liblld-19-dev libfmt-dev libcli11-dev zlib1g-dev libzstd-dev
  libxml2-dev)
requirements=(tools/requirements.txt)
if [ "$stage" != build ]; then
  packages+=(libgtest-dev libgmock-dev pkg-config zsh fish)
  requirements+=(tools/requirements-test.txt)
fi
if [ "$stage" = check ]; then
  packages+=(clang-19 clang-format-19 clang-tidy-19 lld-19 libclang-rt-19-dev)
  requirements+=(tools/requirements-check.txt)
fi
if [ "$stage" = view ]; then
  packages+=(chromium chromium-driver graphviz fonts-dejavu-core)
  requirements+=(tools/requirements-view.txt)
fi
if [ "$stage" = package ]; then
  packages+=(debootstrap)
  requirements+=(tools/requirements-package.txt)
fi

# Prints a Python of 3.11 or later that has venv and headers; nothing when there is none.
find_python() {
  local candidate
  for candidate in ${PYTHON:-} python3 /usr/bin/python3; do
    if "$candidate" - 2>/dev/null <<'PY'
import ensurepip, os, sys, sysconfig, venv
header = os.path.join(sysconfig.get_paths()["include"], "Python.h")
sys.exit(not (sys.version_info >= (3, 11) and os.path.exists(header)))
PY
    then
      echo "$candidate"
      return
    fi
  done
}

python=$(find_python)
[ -n "$python" ] || packages+=(python3 python3-venv python3-dev)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || missing+=("$package")
done

# Packages of Debian 13 come from where apt's lists say that this machine's come from.
has_lists=yes
[ "$stage" != package ] || [ -n "$(apt-get indextargets)" ] || has_lists=no

if [ ${#missing[@]} -gt 0 ] || [ $has_lists = no ]; then
  install="apt-get install -y --no-install-recommends ${missing[*]}"
  if [ "$(id -u)" = 0 ]; then
    as_root=(env)
  elif sudo -n true 2>/dev/null; then
    as_root=(sudo env)
  else
    echo "Packages are missing. Run this line, then repeat the command:" >&2
    echo "  sudo apt-get update && sudo $install" >&2
    exit 1
  fi
  echo "setup: installing ${missing[*]}"
  "${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get update -qq
  # shellcheck disable=SC2086
  "${as_root[@]}" DEBIAN_FRONTEND=noninteractive $install
  python=$(find_python)
fi

if [ ! -x .venv/bin/python ] || ! .venv/bin/python -c '' 2>/dev/null; then
  rm -rf .venv
  "$python" -m venv .venv
fi

# The lists that were installed are kept in .venv; a new or changed one is installed.
wanted=()
for list in "${requirements[@]}"; do
  cmp -s "$list" ".venv/$(basename "$list")" || wanted+=("$list")
done
if [ ${#wanted[@]} -gt 0 ]; then
  echo "setup: Python packages of ${wanted[*]} into .venv"
  .venv/bin/python -m pip install --quiet --disable-pip-version-check "${wanted[@]/#/--requirement=}"
  cp "${wanted[@]}" .venv/
fi
