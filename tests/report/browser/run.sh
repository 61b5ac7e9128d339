#!/usr/bin/env bash
# Looks at pages in headless Chromium: run.sh PROGRAM MAKE_PAGES FOLDER. playwright-core goes into the folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$1 make_pages=$2 folder=$3

missing=()
for command in node npm chromium; do command -v "$command" >/dev/null || missing+=("$command"); done
if ((${#missing[@]})); then
  echo "not found: ${missing[*]}; script/bootstrap --browser installs what the test of the pages needs" >&2
  exit 1
fi

mkdir -p "$folder"
cp "$here"/package.json "$here"/package-lock.json "$here"/*.mjs "$folder"
cd "$folder"
# What npm has once installed for this lock file is not asked for again.
if ! cmp -s package-lock.json node_modules/.installed; then
  npm ci --silent --no-audit --no-fund --cache "$folder/npm-cache"
  cp package-lock.json node_modules/.installed
fi

"$make_pages" "$folder"
rm -rf run
"$program" train copy --model transformer --layers 2 --heads 2 --width 16 --inner 16 --sequences 600 --steps 4 \
  --eval-every 2 --watch --threads 1 --out run >train.log 2>&1 || { cat train.log >&2; exit 1; }
node check.mjs all.html long.html run/report.html all.svg broken.html
