#!/usr/bin/env bash
# Fuzzes one part: tools/fuzz.sh [--random] NAME [SECONDS]. NAME is a file of tests/fuzz without its extension. New inputs gather in
# build/fuzz/corpus/NAME; a crash is kept as build/fuzz/crash-NAME-*, to be copied into tests/fuzz/corpus/NAME with its fix.
# With --random the fuzzer gets random bytes, from the everyday build and without sanitizers: many times as many inputs a second, for the
# fuzzers whose bytes are decisions. SEED=N begins with that seed; a crash names its own.
set -eu
cd "$(dirname "$(readlink -f "$0")")/.."
. tools/lib.sh
random=""
[ "${1:-}" != --random ] || { random=yes; shift; }
name=${1:-} seconds=${2:-60}
[ -e "tests/fuzz/$name.cpp" ] || die "usage: tools/fuzz.sh [--random] NAME [SECONDS]; the names are: $(cd tests/fuzz && ls -- *.cpp | sed 's/\.cpp$//' | tr '\n' ' ')"
if [ -n "$random" ]; then
  build dev "random_$name"
  mkdir -p "build/fuzz/crash-$name"
  exec "build/dev/random_$name" "$seconds" "${SEED:-1}" "build/fuzz/crash-$name"
fi
build asan "fuzz_$name"
mkdir -p "build/fuzz/corpus/$name"
seeds=""
for folder in "tests/fuzz/corpus/$name" models; do [ ! -d "$folder" ] || seeds="$seeds $folder"; done
# shellcheck disable=SC2086
exec "build/asan/fuzz_$name" -max_total_time="$seconds" -max_len=65536 -timeout=30 -rss_limit_mb=2048 -print_final_stats=1 \
  -artifact_prefix="build/fuzz/crash-$name-" "build/fuzz/corpus/$name" $seeds
