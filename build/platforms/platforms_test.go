// Package platforms holds what only another processor shows: the command is built for
// arm64, looked through for instructions that round otherwise, and run by an emulator.
package platforms

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// folder is where programs are built.
var folder string

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "spillway-platforms"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(folder) // of the system's temporary files
	os.Exit(code)
}

// build returns a function that builds the command for a processor, once.
func build(processor string) func() (string, error) {
	return sync.OnceValues(func() (string, error) {
		// go test keeps a result until a file that a test itself looked at has changed, and what
		// it builds others read: so it looks at all folders of the command's sources.
		for _, top := range []string{"../../sim", "../../traces", "../../ui", "../spillway"} {
			if err := filepath.WalkDir(top, func(_ string, _ os.DirEntry, err error) error { return err }); err != nil {
				return "", err
			}
		}
		name := filepath.Join(folder, "spillway-"+processor)
		tool := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-w", "-o", name, "../spillway")
		tool.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+processor, "CGO_ENABLED=0")
		if out, err := tool.CombinedOutput(); err != nil {
			return "", &failure{err, out}
		}
		return name, nil
	})
}

// A failure is a program's that ended with an error, and what it printed.
type failure struct {
	err error
	out []byte
}

func (f *failure) Error() string { return f.err.Error() + "\n" + string(f.out) }

var forARM64 = build("arm64")

// arm64 returns the command for arm64.
func arm64(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the command for another processor")
	}
	name, err := forARM64()
	if err != nil {
		t.Fatalf("the command cannot be built for arm64: %v", err)
	}
	return name
}
