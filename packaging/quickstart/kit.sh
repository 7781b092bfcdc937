# Shared by the quickstarts, which source it: starting programs one after the other, and stopping them.
# The script sets `logs`, the folder of the logs once there are some, and clean(), for what goes at an end in order.
pids=()
logs=
clean() { :; }

die() {
  echo "quickstart: $*" >&2
  exit 1
}

# Stops what was started, by process id, last first: all are told before one is waited for.
stop() {
  local status=$? i
  trap - EXIT INT TERM
  for ((i = ${#pids[@]} - 1; i >= 0; i--)); do
    kill -TERM "${pids[i]}" 2>/dev/null || true
  done
  for i in "${pids[@]}"; do
    wait "$i" 2>/dev/null || true
  done
  if [ $status -eq 0 ]; then
    clean
  elif [ -n "$logs" ]; then
    echo "quickstart: the logs are in $logs" >&2
  fi
}
trap stop EXIT
trap 'echo; echo "Stopping."; exit 0' INT TERM

# wait_for WHAT LOG PID COMMAND...: until the command succeeds, at most 60 s, or the process is gone.
wait_for() {
  local what=$1 log=$2 pid=$3
  shift 3
  for _ in $(seq 600); do
    "$@" >/dev/null 2>&1 && return 0
    kill -0 "$pid" 2>/dev/null || die "$what did not start: $(tail -n 1 "$log")"
    sleep 0.1
  done
  die "$what is not ready after 60 s: $(tail -n 1 "$log")"
}

# need_free NAME:PORT...: nobody listens there.
need_free() {
  local port
  for port in "$@"; do
    if (exec 3<>"/dev/tcp/127.0.0.1/${port#*:}") 2>/dev/null; then
      die "port ${port#*:} (${port%:*}) is taken; free it or set WAFD_QUICKSTART_$(echo "${port%:*}" | tr a-z A-Z)"
    fi
  done
}

# build LOG: the program build/release/wafd.
build() {
  echo "Building wafd (the first time takes some minutes) …"
  mkdir -p "$(dirname "$1")"
  cmake --preset release >"$1" 2>&1 || die "cmake failed; see $1"
  cmake --build --preset release --target wafd || die "the build failed; the lines above say where"
}
