package main

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// writeWhole writes a file: all of it, or what was there stays as it was. It is written
// beside its place under a name that nobody else has, and renamed when it is on the disk.
// What is no regular file, such as /dev/stdout, is written as it is.
func writeWhole(name string, write func(io.Writer) error) error {
	mode := fs.FileMode(0o666)
	if there, err := os.Stat(name); err == nil {
		if !there.Mode().IsRegular() {
			f, err := os.OpenFile(name, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			return writeAndClose(f, write, false)
		}
		mode = there.Mode().Perm()
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return err
		}
	}
	beside := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+"-"+rand.Text())
	f, err := os.OpenFile(beside, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return saidOf(name, err)
	}
	if err = writeAndClose(f, write, true); err == nil {
		err = os.Rename(beside, name)
	}
	if err != nil {
		_ = os.Remove(beside) // what went wrong before counts
		return failed{saidOf(name, err)}
	}
	return nil
}

// writeAndClose writes to an open file; one that is beside its place shall be on the disk.
func writeAndClose(f *os.File, write func(io.Writer) error, beside bool) error {
	w := bufio.NewWriter(f)
	err := write(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil && beside {
		err = f.Sync()
	}
	return cmp.Or(err, f.Close())
}

// saidOf says a file's error of the name that the user knows.
func saidOf(name string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return &fs.PathError{Op: path.Op, Path: name, Err: path.Err}
	}
	return err
}

// replace writes data to a file: all of it, or what was there stays as it was.
func replace(name string, data []byte) error {
	return writeWhole(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
