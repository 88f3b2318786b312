#!/usr/bin/env bash
# Runs .ci/run on the last commit in a clean clone, without the compiler cache, and removes the clone.
set -euo pipefail
cd "$(dirname "$0")/.."
clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT
git clone -q . "$clone/sunmao"
CCACHE_DISABLE=1 CI=true bash "$clone/sunmao/.ci/run" </dev/null 2>&1
