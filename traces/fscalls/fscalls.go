// Package fscalls reads recordings of what programs asked of a file system: strace, fio's
// iolog, blkparse, and Spillway's own text (FORMAT.md).
package fscalls
