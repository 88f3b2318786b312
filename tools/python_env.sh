#!/usr/bin/env bash
# tools/python_env.sh NAME: makes build/NAME-env, a Python environment, from tools/requirements-NAME.txt, or brings it up
# to date. Idempotent. It has the Python of .venv where there is one, as the extension is built for that.
set -euo pipefail
cd "$(dirname "$0")/.."

name=${1:?which environment: the NAME of a tools/requirements-NAME.txt}
list=tools/requirements-$name.txt
environment=build/$name-env
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
  echo "python_env: Python packages of $list into $environment"
  "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$list"
  cp "$list" "$installed"
fi
