# Shared by ./run, ./test and the scripts of tools/: sourced, with the project's root as working directory.

say() { printf '%s\n' "$*" >&2; }
die() { say "$*"; exit 2; }

job_count() { echo "${ARMATURE_JOBS:-$(nproc 2>/dev/null || echo 2)}"; }

# The environment of every build. emscripten looks for its JavaScript parts in NODE_PATH and calls ccache itself.
build_environment() {
  export NODE_PATH=${NODE_PATH:-/usr/share/nodejs}
  if command -v ccache >/dev/null; then
    export EM_COMPILER_WRAPPER=ccache CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
  fi
}

# configure PRESET [ARGS]: once, and again when the presets changed; ninja itself sees to everything else.
configure() {
  local preset=$1
  shift
  local ninja=build/$preset/build.ninja
  [ -e "$ninja" ] && [ "$ninja" -nt CMakePresets.json ] && return 0
  mkdir -p build/logs
  cmake --preset "$preset" "$@" >"build/logs/configure-$preset.log" 2>&1 && touch "$ninja" && return 0
  cat "build/logs/configure-$preset.log" >&2
  return 1
}

# build PRESET TARGET...: a line that moves on a terminal, a line per tenth elsewhere, the errors when it fails.
build() {
  local preset=$1
  shift
  build_environment
  configure "$preset" || return 1
  local log=build/logs/build-$preset.log
  mkdir -p build/logs
  local terminal=0
  [ -t 2 ] && terminal=1
  NINJA_STATUS='[%f/%t] ' cmake --build "build/$preset" -j "$(job_count)" --target "$@" 2>&1 | tee "$log" |
    awk -v terminal="$terminal" -v preset="$preset" '
      match($0, /^\[[0-9]+\/[0-9]+\]/) {
        split(substr($0, 2, RLENGTH - 2), part, "/")
        if (part[2] < 3) next
        if (terminal) { printf "\r\033[K  building %s: %d of %d", preset, part[1], part[2]; shown = 1; fflush() }
        else if (int(10 * part[1] / part[2]) > tenth) {
          tenth = int(10 * part[1] / part[2]); printf "  building %s: %d %%\n", preset, 10 * tenth; fflush()
        }
      }
      END { if (terminal && shown) printf "\r\033[K" }' >&2
  local result=${PIPESTATUS[0]}
  [ "$result" -eq 0 ] || grep -v '^\[[0-9]*/[0-9]*\] \(Building\|Linking\|Re-checking\|Generating\)' "$log" | head -200 >&2
  return "$result"
}
