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

# build_progress PRESET: from ninja's lines, a line that moves on a terminal, a line per tenth elsewhere. Read by the shell, line by line: awk and
# sed wait for a full buffer, which is minutes of a cold build.
build_progress() {
  local preset=$1 line tenth=0 shown=''
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] && ((BASH_REMATCH[2] > 2)) || continue
    local built=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]}
    if [ -t 2 ]; then
      printf '\r\033[K  building %s: %d of %d' "$preset" "$built" "$all" >&2
      shown=1
    elif ((10 * built / all > tenth)); then
      tenth=$((10 * built / all))
      say "  building $preset: $((10 * tenth)) %"
    fi
  done
  [ -z "$shown" ] || printf '\r\033[K' >&2
}

# build PRESET TARGET...: with its progress, and the errors when it fails.
build() {
  local preset=$1
  shift
  build_environment
  configure "$preset" || return 1
  local log=build/logs/build-$preset.log
  mkdir -p build/logs
  NINJA_STATUS='[%f/%t] ' cmake --build "build/$preset" -j "$(job_count)" --target "$@" 2>&1 | tee "$log" | build_progress "$preset"
  local result=${PIPESTATUS[0]}
  [ "$result" -eq 0 ] || grep -v '^\[[0-9]*/[0-9]*\] \(Building\|Linking\|Re-checking\|Generating\)' "$log" | head -200 >&2
  return "$result"
}
