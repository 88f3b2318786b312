#!/usr/bin/env bash
# A whole .ci/run of the last commit in a clean clone, without the compiler cache. The clone is removed afterwards.
set -euo pipefail
cd "$(dirname "$0")/.."
clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT
git clone -q . "$clone/sunmao"
CCACHE_DISABLE=1 CI=true bash "$clone/sunmao/.ci/run" </dev/null 2>&1
