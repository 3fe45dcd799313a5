package promise

// The recordings of traces/fscalls/recorded, as Text writes them. A test of the laboratory holds
// them to these.
const (
	sqliteJournal = `
dir 0
file 1 61440
create 3 1
write 3 0 512
write 3 512 4
write 3 516 4096
write 3 4612 4
write 3 4616 4
write 3 4620 4096
write 3 8716 4
write 3 8720 4
write 3 8724 4096
write 3 12820 4
write 3 12824 4
write 3 12828 4096
write 3 16924 4
fdatasync 3
fdatasync 1
write 3 0 12
fdatasync 3
write 2 0 4096
write 2 8192 4096
write 2 32768 4096
write 2 57344 4096
fdatasync 2
unlink 3 1
create 3 1
write 3 0 512
write 3 512 4
write 3 516 4096
write 3 4612 4
write 3 4616 4
write 3 4620 4096
write 3 8716 4
write 3 8720 4
write 3 8724 4096
write 3 12820 4
write 3 12824 4
write 3 12828 4096
write 3 16924 4
fdatasync 3
fdatasync 1
write 3 0 12
fdatasync 3
write 2 0 4096
write 2 8192 4096
write 2 32768 4096
write 2 57344 4096
fdatasync 2
unlink 3 1
`

	sqliteWAL = `
dir 0
file 1 61440
create 3 1
create 4 1
truncate 4 3
write 4 4095 1
write 4 8191 1
write 4 12287 1
write 4 16383 1
write 4 20479 1
write 4 24575 1
write 4 28671 1
write 4 32767 1
write 3 0 32
fdatasync 3
fdatasync 1
write 3 32 24
write 3 56 4096
write 3 4152 24
write 3 4176 4096
write 3 8272 24
write 3 8296 4096
fdatasync 3
write 3 12392 24
write 3 12416 4096
write 3 16512 24
write 3 16536 4096
write 3 20632 24
write 3 20656 4096
fdatasync 3
fdatasync 3
write 2 8192 4096
write 2 32768 4096
write 2 57344 4096
truncate 2 61440
fdatasync 2
unlink 4 1
unlink 3 1
`

	git = `
dir 0
dir 1
file 2 21
file 2 165
file 2 193
dir 2
file 6 240
file 1 1096
dir 2
dir 9
file 1 1496
dir 2
dir 12
file 13 41
dir 12
dir 9
file 16 102
dir 9
file 18 705
dir 9
file 20 71
dir 2
file 22 0
dir 22
dir 24
file 25 0
create 27 2
mkdir 28 9
create 29 28
write 29 0 530
rename 29 28 0
write 27 0 154
write 27 154 20
rename 27 2 5
create 30 2 27
mkdir 31 9
create 32 31
write 32 0 70
rename 32 31 0
write 30 0 173
write 30 173 20
rename 30 2 27
create 33 2
write 33 0 2
mkdir 34 9
create 35 34
write 35 0 130
rename 35 34 0
create 36 2
create 37 13
write 37 0 40
write 37 40 1
write 23 -1 117
write 26 -1 117
rename 37 13 14
unlink 36 2
create 38 2 30
mkdir 39 9
create 40 39
write 40 0 707
rename 40 39 0
write 38 0 154
write 38 154 20
rename 38 2 30
create 41 2 38
mkdir 42 9
create 43 42
write 43 0 70
rename 43 42 0
write 41 0 173
write 41 173 20
rename 41 2 38
truncate 33 0
write 33 0 2
mkdir 44 9
create 45 44
write 45 0 129
rename 45 44 0
create 36 2
create 46 13 37
write 46 0 40
write 46 40 1
write 23 -1 117
write 26 -1 117
rename 46 13 37
unlink 36 2
`

	gitFsync = `
dir 0
dir 1
file 2 21
file 2 178
file 2 193
dir 2
file 6 240
file 1 1096
dir 2
dir 9
file 1 1496
dir 2
dir 12
file 13 41
dir 12
dir 9
file 16 102
dir 9
file 18 705
dir 9
file 20 71
dir 2
file 22 0
dir 22
dir 24
file 25 0
create 27 2
mkdir 28 9
create 29 28
write 29 0 530
fsync 29
rename 29 28 0
write 27 0 154
write 27 154 20
fsync 27
rename 27 2 5
create 30 2 27
mkdir 31 9
create 32 31
write 32 0 70
fsync 32
rename 32 31 0
write 30 0 173
write 30 173 20
fsync 30
rename 30 2 27
create 33 2
write 33 0 2
mkdir 34 9
create 35 34
write 35 0 130
fsync 35
rename 35 34 0
create 36 2
create 37 13
write 37 0 40
write 37 40 1
fsync 37
write 23 -1 117
write 26 -1 117
rename 37 13 14
unlink 36 2
create 38 2 30
mkdir 39 9
create 40 39
write 40 0 707
fsync 40
rename 40 39 0
write 38 0 154
write 38 154 20
fsync 38
rename 38 2 30
create 41 2 38
mkdir 42 9
create 43 42
write 43 0 70
fsync 43
rename 43 42 0
write 41 0 173
write 41 173 20
fsync 41
rename 41 2 38
truncate 33 0
write 33 0 2
mkdir 44 9
create 45 44
write 45 0 129
fsync 45
rename 45 44 0
create 36 2
create 46 13 37
write 46 0 40
write 46 40 1
fsync 46
write 23 -1 117
write 26 -1 117
rename 46 13 37
unlink 36 2
`

	vim = `
dir 0
file 1 18893
create 3 1
create 4 1
unlink 4 1
unlink 3 1
create 3 1
write 3 0 4096
write 3 0 4096
create 5 1
unlink 5 1
rename 2 1 0
write 3 4096 4096
write 3 8192 4096
write 3 12288 4096
write 3 16384 4096
write 3 20480 4096
write 3 24576 4096
write 3 28672 4096
write 3 32768 4096
write 3 36864 4096
write 3 40960 4096
fsync 3
write 3 4096 4096
fsync 3
create 6 1 2
truncate 6 0
write 6 0 8192
write 6 8192 8192
write 6 16384 2509
fsync 6
write 3 0 4096
write 3 0 4096
create 5 1
unlink 5 1
unlink 2 1
rename 6 1 0
write 3 8192 4096
fsync 3
create 7 1 6
truncate 7 0
write 7 0 8192
write 7 8192 8192
write 7 16384 2509
fsync 7
write 3 0 4096
unlink 3 1
`

	shellMv = `
dir 0
file 1 18893
create 3 1
write 3 0 8192
write 3 8192 4096
write 3 12288 4096
write 3 16384 2509
rename 3 1 2
create 4 1 3
write 4 0 4096
write 4 4096 4096
write 4 8192 4096
write 4 12288 4096
write 4 16384 2507
rename 4 1 3
`

	dd = `
dir 0
create 2 1
write 2 0 4096
write 2 4096 4096
write 2 8192 4096
write 2 12288 4096
write 2 16384 4096
fsync 2
truncate 2 0
write 2 0 4096
write 2 4096 4096
write 2 8192 4096
write 2 12288 4096
write 2 16384 4096
fsync 2
`

	kakouneSync = `
dir 0
file 1 18893
create 3 1
write 3 0 4096
write 3 4096 4096
write 3 8192 4096
write 3 12288 4096
write 3 16384 2510
fsync 3
rename 3 1 2
create 4 1
write 4 0 4096
write 4 4096 4096
write 4 8192 4096
write 4 12288 4096
write 4 16384 2511
fsync 4
rename 4 1 3
`

	kakoune = `
dir 0
file 1 18893
create 3 1
write 3 0 4096
write 3 4096 4096
write 3 8192 4096
write 3 12288 4096
write 3 16384 2510
rename 3 1 2
create 4 1
write 4 0 4096
write 4 4096 4096
write 4 8192 4096
write 4 12288 4096
write 4 16384 2511
rename 4 1 3
`

	vimOverwrite = `
dir 0
file 1 18893
truncate 2 0
write 2 0 8192
write 2 8192 8192
write 2 16384 2509
fsync 2
truncate 2 0
write 2 0 8192
write 2 8192 8192
write 2 16384 2509
fsync 2
`

	vimCopy = `
dir 0
file 1 18893
create 3 1
write 3 0 8192
write 3 8192 8192
write 3 16384 2509
truncate 2 0
write 2 0 8192
write 2 8192 8192
write 2 16384 2509
fsync 2
unlink 3 1
create 3 1
write 3 0 8192
write 3 8192 8192
write 3 16384 2509
truncate 2 0
write 2 0 8192
write 2 8192 8192
write 2 16384 2509
fsync 2
unlink 3 1
`

	vimNofsync = `
dir 0
file 1 18893
create 3 1
unlink 3 1
rename 2 1 0
create 4 1 2
truncate 4 0
write 4 0 8192
write 4 8192 8192
write 4 16384 2509
unlink 2 1
create 3 1
unlink 3 1
rename 4 1 0
create 5 1 4
truncate 5 0
write 5 0 8192
write 5 8192 8192
write 5 16384 2509
unlink 4 1
`

	rocksDB = `
dir 0
dir 1
file 2 6939
file 2 0
file 2 26
file 2 59
file 2 0
file 2 16
file 2 36
rename 4 2 0
create 10 2 4
write 10 0 56
create 11 2
write 11 0 984
fdatasync 11
write 10 56 20458
truncate 5 26
create 12 2
create 13 2
write 13 0 35
write 13 35 11
write 13 46 13
write 13 59 86
write 13 145 15
fdatasync 13
create 14 2
write 14 0 16
fdatasync 14
rename 14 2 8
fsync 2
write 10 20514 345
create 15 2
write 15 0 6940
fsync 15
rename 15 2 0
fsync 2
unlink 6 2
unlink 5 2
write 10 20859 504
write 10 21363 165
write 12 0 26
write 10 21528 3487
truncate 12 26
truncate 13 160
write 10 25015 79
rename 10 2 0
create 16 2 10
write 16 0 56
create 17 2
write 17 0 984
fdatasync 17
write 16 56 20475
truncate 12 26
create 18 2
create 19 2
write 19 0 35
write 19 35 94
write 19 129 13
write 19 142 86
write 19 228 15
fdatasync 19
create 20 2
write 20 0 16
fdatasync 20
rename 20 2 14
fsync 2
write 16 20531 346
create 21 2
write 21 0 6940
fsync 21
rename 21 2 0
fsync 2
unlink 3 2
unlink 13 2
unlink 12 2
write 16 20877 505
write 16 21382 165
write 18 0 26
write 16 21547 101
truncate 18 26
truncate 19 243
write 16 21648 79
`
)
