# What the tests of the recipes share. Usage: . common.sh BINARY
set -euo pipefail

SPILLWAY="$(realpath "${1:?name the spillway binary}")"
export SPILLWAY SHARDS=4
here="$(cd "$(dirname "${BASH_SOURCE[1]}")" && pwd)"
work="$(mktemp -d)"
export PARTS="$work/parts"

# A small sweep: 2 axes, 24 setups, some of which contradict, of 2 systems.
sweep=(lab=train system=g10,uvm model=bert-base batch=16 --vary 'part-ssd=*' --vary gpu_memory=0.5,1 --vary host_link=2,16)

# need PACKAGE COMMAND...: installs a Debian package, or names it.
need() {
	local package="$1" command missing=
	shift
	for command in "$@"; do command -v "$command" >/dev/null || missing+=" $command"; done
	[ -z "$missing" ] && return
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		echo "Installing $package, which has$missing ..."
		{ apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $package; } >"$work/apt.log" 2>&1 \
			|| { tail -n 5 "$work/apt.log"; echo "$package cannot be installed; this test needs$missing"; exit 1; }
		return
	fi
	echo "This test needs$missing: install $package (Debian: apt-get install $package)"
	exit 1
}

# compare NAME: the parts, merged, are what one process prints, in every form.
compare() {
	local form
	for form in --csv --json ''; do
		"$SPILLWAY" sweep "${sweep[@]}" $form >"$work/whole" 2>/dev/null
		"$SPILLWAY" merge "$PARTS" $form >"$work/merged"
		cmp "$work/whole" "$work/merged"
	done
	echo "$1: $(($("$SPILLWAY" merge "$PARTS" --csv | wc -l) - 1)) runs in $SHARDS parts, merged: the bytes of one process"
}

# lose: one part away; prints its number, which the error of merge names too.
lose() {
	local part
	part="$(ls "$PARTS"/*-3-of-4.part)"
	rm "$part"
	if "$SPILLWAY" merge "$PARTS" --csv >"$work/merged" 2>"$work/errors"; then echo 'merge did not notice a lost part'; exit 1; fi
	grep -q "$(basename "$part") is missing: make it with sweep --shard 3/4" "$work/errors" || { cat "$work/errors"; exit 1; }
}
