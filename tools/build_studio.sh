#!/usr/bin/env bash
# Builds the browser studio into build/studio: the core as WebAssembly, then the page. Does nothing when both are up to date.
set -eu
cd "$(dirname "$(readlink -f "$0")")/.."
. tools/lib.sh
studio=apps/studio out=$PWD/build/studio core=$PWD/build/wasm/bindings/wasm
[ -e $studio/package.json ] || die "There is no studio in this checkout"
if [ -e bindings/wasm/CMakeLists.txt ]; then
  build wasm armature_wasm
  # The notices of what is compiled into it.
  if [ ! -e "$core/notices.json" ] || [ "$core/armature_core.wasm" -nt "$core/notices.json" ]; then tools/third_party.py build/wasm "$core/notices.json"; fi
fi

mkdir -p build/logs
if [ ! -e $studio/node_modules/.package-lock.json ] || [ $studio/package-lock.json -nt $studio/node_modules/.package-lock.json ]; then
  say "Fetching the studio's npm packages"
  # Exactly what the lock file names, by its digests; no package's own scripts are run (.npmrc).
  npm --prefix $studio ci --no-audit --no-fund >build/logs/npm.log 2>&1 || { tail -20 build/logs/npm.log >&2; exit 1; }
  tools/check_npm_lock.py $studio >&2 || { rm -f $studio/node_modules/.package-lock.json; die "The npm packages differ from the lock file"; }
  touch $studio/node_modules/.package-lock.json
fi
changed=$(find $studio "$core" -path '*/node_modules' -prune -o -path '*/dist' -prune -o -path '*/tests' -prune -o -path '*/CMakeFiles' -prune \
  -o -type f -newer "$out/index.html" -print 2>/dev/null | head -1)
if [ ! -e "$out/index.html" ] || [ -n "$changed" ]; then
  say "Building the studio's page"
  ARMATURE_WASM_DIR=$core ARMATURE_STUDIO_OUT=$out npm --prefix $studio run --silent build >build/logs/studio.log 2>&1 || {
    tail -40 build/logs/studio.log >&2
    exit 1
  }
fi
