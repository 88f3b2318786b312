#!/usr/bin/env bash
# tools/differential_env.sh: the Python environment of tests/differential, build/differential-env.
exec "$(dirname "$0")/python_env.sh" differential
