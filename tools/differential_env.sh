#!/usr/bin/env bash
# tools/differential_env.sh: makes build/differential-env, the Python environment of tests/differential, from
# tools/requirements-differential.txt, or brings it up to date. Idempotent. It has the Python of .venv where there is
# one, as the extension is built for that.
set -euo pipefail
cd "$(dirname "$0")/.."

list=tools/requirements-differential.txt
environment=build/differential-env
exec 9<"$list"  # several make targets may ask at once
flock 9

if [ ! -x "$environment/bin/python" ] || ! "$environment/bin/python" -c '' 2>/dev/null; then
  base=${PYTHON:-python3}
  [ ! -x .venv/bin/python ] || base=.venv/bin/python
  rm -rf "$environment"
  mkdir -p build
  "$base" -m venv "$environment"
fi

# The list that was installed is kept in the environment; a new or changed one is installed.
installed=$environment/$(basename "$list")
if ! cmp -s "$list" "$installed"; then
  echo "differential_env: Python packages of $list into $environment"
  "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$list"
  cp "$list" "$installed"
fi
