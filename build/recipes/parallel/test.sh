#!/bin/bash
# Runs the recipe on a small sweep: test.sh BINARY
. "$(dirname "$0")/../common.sh" "$1"
trap 'rm -rf "$work"' EXIT
need parallel parallel

"$here/sweep.sh" "$SHARDS" "${sweep[@]}" >"$work/parallel.out" 2>&1 || { cat "$work/parallel.out"; exit 1; }
compare 'GNU parallel'
lose
"$here/sweep.sh" "$SHARDS" "${sweep[@]}" >"$work/parallel.out" 2>&1 || { cat "$work/parallel.out"; exit 1; }
[ "$(grep -c 'is there already' "$work/parallel.out")" = 3 ]
compare 'again, for one that was lost'
