package artifact

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	made := t.TempDir()
	if err := os.MkdirAll(filepath.Join(made, "src", "configs"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ set, want string }{
		{made, made},
		{"no/such/folder", ""}, // of the root, not of this package
		{"", filepath.Join(filepath.Dir(root), "shared", "artifacts", "g10")},
	} {
		t.Setenv(variable, tt.set)
		got, err := Find()
		switch {
		case err == nil && got != tt.want:
			t.Errorf("%s=%q: found %s, want %s", variable, tt.set, got, tt.want)
		case err != nil && tt.set == made:
			t.Error(err)
		case err != nil && tt.set != "" && !strings.Contains(err.Error(), filepath.Join(root, tt.set)):
			t.Errorf("%s=%q: %v, which does not say where it looked", variable, tt.set, err)
		case err != nil && !strings.Contains(err.Error(), variable):
			t.Errorf("%v does not say how to point it elsewhere", err)
		}
	}
}

// TestArtifact lets the Makefile say before all tests whether those that need
// the artifact run.
func TestArtifact(t *testing.T) { t.Log(Dir(t)) }
