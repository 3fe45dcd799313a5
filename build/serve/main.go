// Serve shows the built site on this machine. It answers as a plain file host
// would: the rules of _headers, precompressed copies where the browser takes
// them, 404.html for the rest, and nothing kept without asking again.
package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	dir := flag.String("dir", "dist", "folder with the built site")
	addr := flag.String("addr", "127.0.0.1:8080", "address to listen on; if it is taken, a free port is used")
	flag.Parse()
	if err := serve(*dir, *addr); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

func serve(dir, addr string) error {
	if _, err := os.Stat(filepath.Join(dir, "index.html")); err != nil {
		return fmt.Errorf("%w; build the site first with: make build", err)
	}
	folder, err := os.OpenRoot(dir) // links cannot lead out of it
	if err != nil {
		return err
	}
	defer folder.Close()
	root := folder.FS()
	if _, err := readHeaders(root); err != nil {
		return err
	}
	l, err := listen(addr)
	if err != nil {
		return err
	}
	fmt.Printf("Spillway is at http://%s/ (Ctrl-C ends it)\n", l.Addr())
	// The longest file takes seconds on this machine; who takes minutes only holds a connection.
	server := &http.Server{
		Handler: &files{root}, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: 5 * time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 16,
	}
	return server.Serve(l)
}

// listen takes addr, or a free port of the same host when addr is in use.
func listen(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if !errors.Is(err, syscall.EADDRINUSE) {
		return l, err
	}
	host, port, splitErr := net.SplitHostPort(addr)
	if splitErr != nil {
		return nil, err
	}
	fmt.Printf("Port %s is taken, using a free one.\n", port)
	return net.Listen("tcp", net.JoinHostPort(host, "0"))
}
