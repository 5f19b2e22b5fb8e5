#!/usr/bin/env bash
# One part of ./test's studio stage: `stage.sh unit` (types and vitest) or `stage.sh browser` (build the page, then Chromium).
set -eu
cd "$(dirname "$(readlink -f "$0")")/.."
if [ "$1" = browser ]; then
  ../../tools/build_studio.sh
  exec node tests/browser/studio.mjs
fi
[ -e node_modules/.package-lock.json ] || npm ci --no-audit --no-fund --loglevel=error
npx --no-install svelte-check --tsconfig ./tsconfig.json --threshold warning
exec npx --no-install vitest run --no-color
