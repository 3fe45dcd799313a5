#!/bin/bash
# Runs the recipe on a small sweep, on a Slurm of its own with this machine as its
# only node: test.sh BINARY. It needs no Slurm that runs, and leaves none running.
. "$(dirname "$0")/../common.sh" "$1"
daemons=()
stop() {
	local pid
	for pid in "${daemons[@]}"; do kill "$pid" 2>/dev/null || true; done
	for pid in "${daemons[@]}"; do wait "$pid" 2>/dev/null || true; done
	rm -rf "$work"
}
trap stop EXIT
PATH="$PATH:/usr/sbin:/sbin"
need 'slurm-wlm munge' sbatch squeue scontrol slurmctld slurmd munged

# free: a port that nobody listens on.
free() {
	local port
	while port=$((20000 + RANDOM % 20000)); (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
	echo "$port"
}

user="$(id -un)" host="$(hostname -s)"
mkdir -p "$work"/{munge,state,spool}
chmod 755 "$work"
dd if=/dev/urandom of="$work/munge/key" bs=1024 count=1 status=none
chmod 600 "$work/munge/key"
cat >"$work/slurm.conf" <<CONF
ClusterName=spillway
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free)
SlurmdPort=$(free)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF="$work/slurm.conf"

# start NAME COMMAND...: starts a daemon and remembers it.
start() {
	local log="$work/$1.log"
	shift
	"$@" >"$log" 2>&1 &
	daemons+=($!)
}
# await SECONDS WHAT COMMAND...: waits until the command succeeds.
await() {
	local left="$1" what="$2"
	shift 2
	until "$@" >/dev/null 2>&1; do
		if ((--left < 0)); then
			tail -n 20 "$work"/*.log
			echo "$what"
			exit 1
		fi
		sleep 1
	done
}
start munged munged --foreground --force --key-file="$work/munge/key" --socket="$work/munge/socket" \
	--pid-file="$work/munge/pid" --seed-file="$work/munge/seed" --log-file="$work/munge/log"
await 20 'munged does not start' test -S "$work/munge/socket"
start slurmctld slurmctld -D -f "$SLURM_CONF"
start slurmd slurmd -D -f "$SLURM_CONF" -N "$host"
idle() { [ "$(sinfo --noheader --format=%T)" = idle ]; }
await 60 'the node does not become idle' idle

# array TASKS: submits the recipe and waits for the end.
array() {
	(cd "$work" && timeout 300 sbatch --parsable --wait --array="$1" "$here/sweep.sbatch" "${sweep[@]}" >"$work/job") \
		|| { cat "$work"/spillway-*.log; exit 1; }
}
array "1-$SHARDS"
compare "Slurm $(sbatch --version | cut -d' ' -f2)"
lose
array 3
compare 'again, for one that was lost'
