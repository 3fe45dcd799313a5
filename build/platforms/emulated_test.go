package platforms

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"spillway/build/effort"
)

// emulator returns the program that runs those of arm64; where there is none it installs
// one, or says what is missing and skips the test.
func emulator(t *testing.T) string {
	t.Helper()
	find := func() string {
		for _, name := range []string{"qemu-aarch64-static", "qemu-aarch64"} {
			if found, err := exec.LookPath(name); err == nil {
				return found
			}
		}
		return ""
	}
	if found := find(); found != "" {
		return found
	}
	_, err := exec.LookPath("apt-get")
	if os.Geteuid() != 0 {
		err = errors.New("only root may install it")
	}
	for _, args := range [][]string{{"update", "-q"}, {"install", "-qy", "--no-install-recommends", "qemu-user-static"}} {
		if err == nil {
			tool := exec.Command("apt-get", args...)
			tool.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
			err = tool.Run()
		}
	}
	found := find()
	if found == "" {
		t.Skipf("results are not compared with arm64's: there is no qemu-aarch64 (Debian: qemu-user-static), and installing it failed: %v", err)
	}
	return found
}

// both returns the command for this processor, and for arm64 with its emulator before it.
func both(t *testing.T) (native, emulated []string) {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		t.Skipf("this is %s; arm64 is compared with amd64, where all values are as the golden files have them", runtime.GOARCH)
	}
	other := arm64(t)
	name, err := forAMD64()
	if err != nil {
		t.Fatalf("the command cannot be built: %v", err)
	}
	return []string{name}, []string{emulator(t), other}
}

var forAMD64 = build("amd64")

// output runs a command and returns what it prints.
func output(t *testing.T, command []string, args ...string) string {
	t.Helper()
	all := append(append([]string{}, command...), args...)
	tool := exec.Command(all[0], all[1:]...)
	var errs bytes.Buffer
	tool.Stderr = &errs
	out, err := tool.Output()
	if err != nil {
		t.Errorf("%s: %v\n%s%s", strings.Join(all, " "), err, out, errs.String())
	}
	return string(out)
}

// program is what results say about the program that made them, its platform too.
var program = regexp.MustCompile(`(?m)^ *"program": .*\n`)

// What every laboratory opens with and the two papers that are verified soonest come out
// on arm64 as they do here, to the last digit and with the same hashes; two of them by day:
// what arm64 would compute otherwise TestNothingIsFused finds in the program itself.
func TestARM64Agrees(t *testing.T) {
	native, emulated := both(t)
	for i, args := range []string{
		"run lab=train", "run lab=store", "run lab=compress", "run lab=cxlssd", "run lab=filesys", "run lab=llm",
		"verify --paper ravenstore", "verify --paper buddy",
	} {
		if !effort.Takes(i, 4) {
			continue
		}
		list := append(strings.Fields(args), "--json")
		here, there := program.ReplaceAllString(output(t, native, list...), ""), program.ReplaceAllString(output(t, emulated, list...), "")
		if len(here) < 1000 {
			t.Errorf("spillway %s prints only %q", args, here)
		}
		if line, a, b := differ(here, there); line > 0 {
			t.Errorf("spillway %s: line %d is here\n%s\nand on arm64\n%s", args, line, a, b)
		}
	}
}

// A bundle from there, with its pictures, is replayed here.
func TestBundlesOfARM64AreReplayed(t *testing.T) {
	native, emulated := both(t)
	name := filepath.Join(t.TempDir(), "there.spillway.zip")
	output(t, emulated, "bundle", "lab=compress", "-o", name)
	if said := output(t, native, "check", name); !strings.Contains("\n"+said, "\nreplayed: ") {
		t.Errorf("what was computed on arm64 is checked here:\n%s", said)
	}
}

// differ returns the first line in which two texts differ, from 1, or 0.
func differ(a, b string) (line int, inA, inB string) {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(as), len(bs)) {
		inA, inB = "", ""
		if i < len(as) {
			inA = as[i]
		}
		if i < len(bs) {
			inB = bs[i]
		}
		if inA != inB || i >= len(as) || i >= len(bs) {
			return i + 1, inA, inB
		}
	}
	return 0, "", ""
}
