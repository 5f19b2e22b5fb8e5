#!/usr/bin/env bash
# Packs the WebAssembly module as the npm package @armature/core: build/npm/armature-core-VERSION.tgz, with types and notices.
set -eu
cd "$(dirname "$(readlink -f "$0")")/.."
. tools/lib.sh
core=build/wasm/bindings/wasm out=build/npm/core
build wasm armature_wasm
if [ ! -e "$core/notices.json" ] || [ "$core/armature_core.wasm" -nt "$core/notices.json" ]; then tools/third_party.py build/wasm "$core/notices.json"; fi
version=$(sed -n 's/^project(armature VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[ -n "$version" ] || die "CMakeLists.txt names no version"
rm -rf build/npm && mkdir -p "$out"
cp "$core"/armature_core.mjs "$core"/armature_core.wasm bindings/wasm/armature.mjs bindings/wasm/*.d.ts bindings/wasm/README.md LICENSE "$out"
sed "s/\"version\": \"0.0.0\"/\"version\": \"$version\"/" bindings/wasm/package.json >"$out/package.json"
python3 - "$core/notices.json" >"$out/NOTICES.txt" <<'PY'
import json, sys
for notice in json.load(open(sys.argv[1])):
    print(f"{notice['name']} {notice['version']}\n{'=' * 72}\n{notice['text']}\n")
PY
(cd build/npm && npm pack --silent ./core >/dev/null)
echo build/npm/armature-core-"$version".tgz
