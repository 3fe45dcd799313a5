#!/bin/sh
# record.sh records how programs save, with strace: each into NAME.strace.gz beside it. Needed are
# strace, sqlite3, git, vim, kakoune, rocksdb-tools, coreutils and a shell, on a file system on which cp uses
# copy_file_range (Ext4). Only calls about files in the program's own folder are kept, which is called
# /saving, and no content is (-s 0). All but cp save twice in a row, files that are there before.
#
# What is here was recorded with SQLite 3.40.1, git 2.39.5, Vim 9.0, Kakoune 2022.10.31, RocksDB
# 7.8.3 and coreutils 9.1 on Debian 12.
# With another version tests say what of it differs: go test ./ui/lab/filesys -run TestRecorded.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
saving=$root/saving
export HOME="$root/home" PATH=/usr/bin:/bin GIT_CONFIG_NOSYSTEM=1 LC_ALL=C TZ=UTC
mkdir "$HOME"

calls=openat,open,creat,close,read,pread64,readv,preadv,write,pwrite64,writev,pwritev,lseek,ftruncate,truncate
calls=$calls,fsync,fdatasync,sync,syncfs,sync_file_range,rename,renameat,renameat2,link,linkat,unlink,unlinkat
calls=$calls,mkdir,mkdirat,rmdir,symlink,symlinkat,fallocate,copy_file_range,sendfile,mmap,chdir,fchdir,newfstatat,fstat

# clean begins with an empty folder.
clean() { rm -rf "$saving"; mkdir "$saving"; cd "$saving"; }

# record NAME COMMAND... records a command in the folder.
record() {
	name=$1; shift
	strace -f -ttt -y -s 0 -e trace="$calls" -o "$root/raw" "$@" >/dev/null
	sed "s#$saving#/saving#g" "$root/raw" | awk '(/\/saving/ || / [a-z0-9]+\("[^\/]/) && (!/AT_FDCWD<[^>]*>, "\// || /AT_FDCWD<[^>]*>, "\/saving/)' |
		gzip -9n >"$here/$name.strace.gz"
}

clean
table='CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<400) INSERT INTO note SELECT i, hex(zeroblob(60)) FROM n'
update='UPDATE note SET text=1 WHERE id IN (3,200,390); UPDATE note SET text=2 WHERE id IN (5,210,380)'
sqlite3 notes.db "PRAGMA page_size=4096; $table"
record sqlite-journal sqlite3 "$saving/notes.db" "PRAGMA synchronous=FULL; $update"

clean
sqlite3 notes.db "PRAGMA page_size=4096; PRAGMA journal_mode=WAL; $table"
record sqlite-wal sqlite3 "$saving/notes.db" "PRAGMA synchronous=FULL; $update"

for sync in none all; do
	clean
	git init -q -b main . && git config user.name a && git config user.email a@b && git config gc.auto 0 && git config maintenance.auto false
	test $sync = none || git config core.fsync all
	seq 300 >a && seq 400 >b && git add a b && git commit -qm first && seq 301 >a && seq 401 >b
	cat >"$root/commits" <<-'END'
		for name in a b; do git add $name && git commit -qm $name; done
	END
	name=git; test $sync = none || name=git-fsync
	record $name sh -e "$root/commits"
done

clean
seq 4000 >text
record vim vim -u NONE -N -i NONE -es -c 'set backup backupskip= nomodeline' -c '1s/1/a/' -c 'write' -c '1s/a/b/' -c 'write' -c 'quit' "$saving/text"

for way in overwrite:'nobackup nowritebackup' copy:'nobackup writebackup backupcopy=yes' nofsync:'nobackup nofsync'; do
	clean
	seq 4000 >text
	record vim-${way%%:*} vim -u NONE -N -n -i NONE -es -c "set ${way#*:} backupskip= nomodeline" -c '1s/1/a/' -c 'write' -c '1s/a/b/' -c 'write' -c 'quit' "$saving/text"
done

for sync in '' -sync; do
	clean
	seq 4000 >text
	record kakoune$sync kak -n -ui dummy -e "try %{ execute-keys ia<esc>; write $sync -method replace; execute-keys ib<esc>; write $sync -method replace }; quit!" "$saving/text"
done

clean
mkdir data
ldb --db=data --create_if_missing put key 0 >/dev/null
cat >"$root/puts" <<'END'
for n in 1 2; do ldb --db="$1/data" put key $n; done
END
record rocksdb sh -e "$root/puts" "$saving"

clean
seq 4000 >text
cat >"$root/moves" <<'END'
for n in 1 2; do seq $n 4000 >"$1/text.new"; mv "$1/text.new" "$1/text"; done
END
record shell-mv sh -e "$root/moves" "$saving"

clean
seq 4000 >text
cat >"$root/copies" <<'END'
for n in 1 2; do dd if=/dev/zero of="$1/text" bs=4096 count=5 conv=fsync status=none; done
END
record dd sh -e "$root/copies" "$saving"

clean
seq 4000 >text
mkdir copies
record cp cp text copies/text
