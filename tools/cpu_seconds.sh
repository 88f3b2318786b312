# For `source`: cpu_seconds sets CPU_SECONDS to the whole seconds that the commands run so far took of all processors.
cpu_seconds() {
  local spent rest minutes seconds unit
  spent=$(mktemp)
  times >"$spent"
  CPU_SECONDS=0
  # The second line has those of the commands: user and system, as 1m2.345s.
  { read -r rest; read -r rest; } <"$spent"
  rm -f "$spent"
  for unit in $rest; do
    minutes=${unit%%m*} seconds=${unit#*m}
    CPU_SECONDS=$((CPU_SECONDS + 60 * minutes + 10#${seconds%%[.,]*}))
  done
}
