#!/bin/bash
# A sweep with GNU parallel: a process a core, each making one part after the other.
# README.md beside this folder says how to use it.
#
#   sweep.sh 16 lab=train system=g10 --vary ssd_read=1.6..12.8/64
set -euo pipefail

shards="${1:?say how many parts the sweep has, then the sweep}"
shift
export GOMAXPROCS=1
# --quote: arguments such as part-ssd=* reach spillway as they are.
seq "$shards" | parallel --quote --halt now,fail=1 \
	"${SPILLWAY:-spillway}" sweep "$@" --shard "{}/$shards" --parts "${PARTS:-parts}"
