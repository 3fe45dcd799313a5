package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spillway/build/effort"
	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/traces/jsonx"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/lab/all"
)

var update = flag.Bool("update", false, "rewrite the golden files and the reference")

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// golden compares with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; run go test with -update to write it", err)
	}
	if got != string(want) {
		t.Errorf("%s is not what it was; if that is meant, run go test with -update\ngot\n%swant\n%s", file, got, want)
	}
}

// loads is a folder of lists: two that can be used and one that cannot.
func loads(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "loads")
	for name, text := range map[string]string{"a/ten.txt": "10", "a/twenty.txt": "20", "bad.txt": "?", ".hidden/x.txt": "1", "a/.litter": "2"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestGolden holds everything that the command prints about an invented
// laboratory.
func TestGolden(t *testing.T) {
	dir := loads(t)
	for _, tt := range []struct {
		name string
		code int
		args []string
	}{
		{"list", exitOK, []string{"list"}},
		{"list-tiny", exitOK, []string{"list", "tiny"}},
		{"list-json", exitOK, []string{"list", "--json"}},
		{"run", exitOK, []string{"run", "lab=tiny"}},
		{"run-json", exitOK, []string{"run", "lab=tiny", "system=arms", "--json", "boxes=7.5", "tricks=throw,run"}},
		{"run-unfit-json", exitOK, []string{"run", "lab=tiny", "system=cart,arms", "boxes=20", "--json"}},
		{"run-steep", exitOK, []string{"run", "lab=tiny", "system=arms", "road=steep"}},
		{"run-setup", exitOK, []string{"run", "--setup", "lab=tiny&system=wings boxes=1.5 road=steep", "boxes=3", "--json"}},
		{"run-file", exitOK, []string{"run", "lab=tiny", "system=wings", "file=" + filepath.Join(dir, "a", "ten.txt"), "--json"}},
		{"run-entry", exitOK, []string{"run", "lab=tiny", "system=wings", "file=" + dir, "load=twenty.txt", "tricks=", "--json"}},
		{"sweep", exitOK, []string{"sweep", "lab=tiny", "system=arms,cart", "--vary", "boxes=5,20", "--vary", "road=flat,steep", "--of", "time_s, boxes_per_s"}},
		{"sweep-many", exitOK, []string{"sweep", "lab=tiny", "boxes=2", "--vary", "tricks=throw,run", "--vary", "tricks=", "system=arms"}},
		{"sweep-entries", exitOK, []string{"sweep", "lab=tiny", "system=arms", "file=" + dir, "--vary", "load=ten.txt", "--vary", "load=twenty.txt"}},
		{"sweep-json", exitOK, []string{"sweep", "lab=tiny", "system=wings", "--vary", "boxes=5,10", "--json"}},
		{"sweep-csv", exitOK, []string{"sweep", "lab=tiny", "system=arms,cart", "--vary", "road=*", "--vary", "boxes=5..20x2,20", "--csv"}},
		{"sweep-csv-of", exitOK, []string{"sweep", "lab=tiny", "system=wings", "boxes=4", "--vary", "tricks=*", "--csv", "--of", "boxes_per_s"}},
		{"solve", exitOK, []string{"solve", "lab=tiny", "system=arms,cart", "--largest", "boxes"}},
		{"solve-within", exitOK, []string{"solve", "lab=tiny", "--smallest", "boxes=1..20", "--within", "400", "--than", "cart", "--precision", "0"}},
		{"solve-csv", exitOK, []string{"solve", "lab=tiny", "system=arms", "road=steep", "--largest", "boxes", "--at-most", "25", "--csv"}},
		{"solve-json", exitOK, []string{"solve", "lab=tiny", "system=arms", "--smallest", "boxes=1..8", "--at-least", "cart", "--of", "boxes_per_s", "--json"}},
		{"solve-sensitivity", exitOK, []string{"solve", "lab=tiny", "system=wings,arms", "--sensitivity"}},
		{"solve-sensitivity-csv", exitOK, []string{"solve", "lab=tiny", "system=arms", "boxes=15", "--sensitivity", "--csv"}},
		{"solve-fit", exitOK, []string{"solve", "lab=tiny", "system=wings,arms", "--fit"}},
		{"solve-fit-json", exitOK, []string{"solve", "lab=tiny", "system=arms", "boxes=15", "--fit", "--json"}},
		{"solve-sensitivity-json", exitOK, []string{"solve", "lab=tiny", "system=arms", "boxes=15", "--sensitivity", "--json"}},
		{"verify", exitOK, []string{"verify"}},
		{"verify-all", exitOK, []string{"verify", "--all", "--figures", "1"}},
		{"verify-json", exitOK, []string{"verify", "--json", "--paper", "atlas"}},
		{"verify-artifact", exitOK, []string{"verify", "--artifact", filepath.Join(dir, "a"), "--figures", "atlas.2"}},
	} {
		code, out, errs := try(tinyLab(1), tt.args...)
		if code != tt.code || errs != "" {
			t.Errorf("spillway %v: exit code %d, want %d: %s", tt.args, code, tt.code, errs)
		}
		golden(t, tt.name, out)
	}
}

// TestMessages lists the exact messages about wrong use.
func TestMessages(t *testing.T) {
	dir := loads(t)
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"list", "moon"}, `unknown laboratory "moon"; there are tiny`},
		{[]string{"run", "lab=moon"}, `unknown laboratory "moon"; there are tiny`},
		{[]string{"run", "lab=tiny", "lab=moon"}, `run: lab=tiny and lab=moon; want one laboratory`},
		{[]string{"run", "lab=tiny", "boxes"}, `run: "boxes" is no setting; want KEY=VALUE`},
		{[]string{"run", "--setup", "boxes=3"}, `run: --setup needs lab=LAB`},
		{[]string{"run", "--setup", "lab=tiny boxes"}, `run: "boxes" is no setting; want key=value`},
		{[]string{"run", "lab=tiny", "--mode", "corrected"}, `run: --mode belongs to the form without lab=; here settings are written KEY=VALUE`},
		{[]string{"run", "lab=tiny", "system=legs"}, `unknown system "legs"; there are wings, arms, cart`},
		{[]string{"run", "lab=tiny", "speed=9"}, `unknown setting "speed"; spillway list tiny has the settings`},
		{[]string{"run", "lab=tiny", "boxes=31"}, `Boxes is 31 dozen; want 0.5 to 30`},
		{[]string{"run", "lab=tiny", "boxes=ten"}, `Boxes: "ten" is not a number; use digits with a decimal point, like 15.754`},
		{[]string{"run", "lab=tiny", "road=wet"}, `unknown road "wet"; there are flat, steep`},
		{[]string{"run", "lab=tiny", "tricks=fly"}, `unknown tricks "fly"; there are everything, or some of run, throw`},
		{[]string{"run", "lab=tiny", "road=steep", "boxes=25"}, `nobody carries that up; take fewer boxes`},
		{[]string{"run", "lab=tiny", "load=ten.txt"}, `load=ten.txt is in files; name them with file=PATH`},
		{[]string{"run", "lab=tiny", "file=nowhere"}, `stat nowhere: no such file or directory`},
		{
			[]string{"run", "lab=tiny", "file=" + dir},
			"the files hold 2 things that can be run; choose one with load=NAME\n" +
				"  load=\"bad.txt\"  cannot be used: no number\n  load=\"ten.txt\"  10 boxes\n  load=\"twenty.txt\"  20 boxes",
		},
		{
			[]string{"run", "lab=tiny", "file=" + filepath.Join(dir, "bad.txt")},
			"the files hold nothing that can be run\n  load=\"bad.txt\"  cannot be used: no number",
		},
		{[]string{"run", "lab=tiny", "file=" + dir, "load=bad.txt"}, `bad.txt: no number`},
		{
			[]string{"run", "lab=tiny", "file=" + filepath.Join(dir, "a"), "load=five.txt"},
			"the files hold no \"five.txt\"; there are\n  load=\"ten.txt\"  10 boxes\n  load=\"twenty.txt\"  20 boxes",
		},
		{[]string{"sweep", "lab=tiny", "--vary", "boxes"}, `sweep: "boxes" is no axis; want KEY=VALUE,VALUE or KEY=FIRST..LAST/COUNT`},
		{[]string{"sweep", "lab=tiny", "--vary", "speed=1,2"}, `sweep: unknown setting "speed"; spillway list tiny has the settings`},
		{[]string{"sweep", "lab=tiny", "--vary", "boxes=1,31"}, `sweep: boxes=1,31: Boxes is 31 dozen; want 0.5 to 30`},
		{[]string{"sweep", "lab=tiny", "--of", "weight"}, `sweep: unknown quantity "weight"; spillway list tiny has the quantities`},
		{[]string{"sweep", "lab=tiny", "--mode", "corrected"}, `sweep: --mode belongs to the form without lab=; here settings are written KEY=VALUE`},
		{[]string{"sweep", "--json"}, `sweep: --json needs lab=LAB`},
		{[]string{"sweep", "lab=tiny", "--json", "--csv"}, `sweep: --json and --csv; want one of them`},
		{[]string{"sweep", "lab=tiny", "boxes=31", "--vary", "road=*"}, `Boxes is 31 dozen; want 0.5 to 30`},
		{[]string{"sweep", "lab=tiny", "road=steep", "boxes=25"}, `nobody carries that up; take fewer boxes`},
		{[]string{"sweep", "lab=tiny", "--shard", "0/3"}, `sweep: --shard 0/3: want I/N with I from 1 to N, like 3/16`},
		{[]string{"sweep", "lab=tiny", "--shard", "4/3"}, `sweep: --shard 4/3: want I/N with I from 1 to N, like 3/16`},
		{[]string{"sweep", "--shard", "1/3"}, `sweep: --shard needs lab=LAB`},
		{[]string{"sweep", "lab=tiny", "--shard", ""}, `sweep: --shard : want I/N with I from 1 to N, like 3/16`},
		{[]string{"sweep", "lab=tiny", "--shard", "1/2", "--csv"}, `sweep: --shard makes a part, which is the same in every form; give --csv to merge`},
		{[]string{"sweep", "lab=tiny", "--shard", "1/2", "--json"}, `sweep: --shard makes a part, which is the same in every form; give --json to merge`},
		{[]string{"sweep", "lab=tiny", "--parts", "x"}, `sweep: --parts is the folder for the part of --shard; say which part: --shard I/N`},
		{[]string{"merge"}, `merge: name the parts, or folders with them`},
		{[]string{"merge", "nowhere.part"}, `merge: nowhere.part: no such file or directory`},
		{[]string{"merge", filepath.Join(dir, "bad.txt")}, `merge: ` + filepath.Join(dir, "bad.txt") + ` is no part of a sweep`},
		{[]string{"solve", "--largest", "boxes"}, `solve: name a laboratory: lab=LAB`},
		{[]string{"solve", "lab=tiny"}, `solve: want one of --smallest KEY, --largest KEY, --sensitivity and --fit`},
		{[]string{"solve", "lab=tiny", "--smallest", "boxes"}, `solve: say what is wanted: --within PERCENT, --at-least VALUE, --at-most VALUE or --fits`},
		{[]string{"solve", "lab=tiny", "--smallest", "boxes", "--fits", "--within", "5"}, `solve: want one of --within, --at-least, --at-most and --fits`},
		{[]string{"solve", "lab=tiny", "--fit", "--csv"}, `solve: --fit asks for no value and prints no CSV; leave the other flags out`},
		{[]string{"solve", "lab=tiny", "--sensitivity", "--fits"}, `solve: --sensitivity asks for no value; leave the other flags out`},
		{[]string{"solve", "lab=tiny", "--largest", "boxes", "--than", "cart"}, `solve: --than belongs to --within`},
		{[]string{"solve", "lab=tiny", "--largest", "road"}, `solve: Road is no number, so that none of its values is the smallest or largest; vary it instead`},
		{[]string{"solve", "lab=tiny", "--largest", "speed"}, `solve: unknown setting "speed"; spillway list tiny has the settings`},
		{[]string{"solve", "lab=tiny", "--largest", "boxes", "--at-most", "fast"}, `solve: --at-most fast: want a number, or a system that spillway list tiny names`},
		{[]string{"solve", "lab=tiny", "--largest", "boxes", "--within", "five"}, `solve: --within five: want a percentage, like 5`},
		{[]string{"solve", "lab=tiny", "--largest", "boxes", "--within", "5", "--than", "legs"}, `solve: unknown system "legs"; there are wings, arms, cart`},
		{[]string{"solve", "lab=tiny", "--largest", "boxes", "--of", "weight"}, `solve: unknown quantity "weight"; spillway list tiny has the quantities`},
		{[]string{"verify", "--paper", "g10"}, `verify: unknown paper "g10"; there are atlas`},
		{[]string{"verify", "--figures", "1,3"}, `verify: there is no figure "3"; there are atlas.1, atlas.2`},
		{[]string{"verify", "--artifact", "nowhere"}, `verify: stat nowhere: no such file or directory`},
		{
			[]string{"verify", "--artifact", filepath.Join(dir, "bad.txt")},
			`verify: no workload of Atlas (2001) in ` + filepath.Join(dir, "bad.txt") + `: counted boxes; Drop the lists of Atlas.`,
		},
		{[]string{"verify", "moon"}, `unexpected argument "moon"`},
	} {
		code, out, errs := try(tinyLab(1), tt.args...)
		if code != exitUsage || out != "" || errs != "spillway: "+tt.want+"\n" {
			t.Errorf("spillway %v: exit code %d, want %d; says\n%s%s\nwant\n%s", tt.args, code, exitUsage, out, errs, tt.want)
		}
	}
}

// TestSolveSaysZero: a question about 0 is in the answer.
func TestSolveSaysZero(t *testing.T) {
	for _, tt := range []struct{ flag, value, want, other string }{
		{"--at-most", "0", `"bound": 0,`, `"percent"`},
		{"--at-least", "0", `"bound": 0,`, `"percent"`},
		{"--within", "0", `"percent": 0,`, `"bound"`},
	} {
		code, out, errs := try(tinyLab(1), "solve", "lab=tiny", "system=arms", "--smallest", "boxes=1..3", tt.flag, tt.value, "--json")
		if code != exitOK || !strings.Contains(out, tt.want) || strings.Contains(out, tt.other) {
			t.Errorf("%s %s: exit code %d, %s%s\nwant %s and no %s", tt.flag, tt.value, code, out, errs, tt.want, tt.other)
		}
	}
	code, out, errs := try(tinyLab(1), "solve", "lab=tiny", "system=arms", "--smallest", "boxes=1..3", "--at-most", "cart", "--json")
	if code != exitOK || strings.Contains(out, `"bound"`) {
		t.Errorf("compared with a system: exit code %d, %s%s", code, out, errs)
	}
}

// TestSolveBound: of several bounds --within compares with one that is named.
func TestSolveBound(t *testing.T) {
	door := tinyLab(1)
	bounds := door
	bounds.New = func() lab.Lab {
		l := door.New()
		l.Systems[2].Bound = true
		return l
	}
	for systems, want := range map[string]string{"arms": "wings", "arms,cart": "cart", "arms,cart,wings": "wings"} {
		code, out, errs := try(bounds, "solve", "lab=tiny", "system="+systems, "--smallest", "boxes=1..3", "--within", "5", "--json")
		if code != exitOK || !strings.Contains(out, `"than": "`+want+`"`) {
			t.Errorf("%s: exit code %d, %s%s\nwant than %s", systems, code, out, errs, want)
		}
	}
}

// TestVerifyFails checks that a gap is a failure with the paper's own workloads
// and none with those that stand in.
func TestVerifyFails(t *testing.T) {
	if code, _, errs := try(tinyLab(2), "verify"); code != exitOK || errs != "" {
		t.Errorf("with bundled workloads: exit code %d, %s", code, errs)
	}
	code, _, errs := try(tinyLab(2), "verify", "--artifact", loads(t))
	if want := "spillway: 2 points are not as recorded, the first: 1 time_s 10 boxes  arms: published 11, ours 21 (+90.9091 %) gap\n"; code != exitFailed || errs != want {
		t.Errorf("with its own: exit code %d, %s want %s", code, errs, want)
	}
}

// TestBug checks that a bug is no wrong use.
func TestBug(t *testing.T) {
	code, out, errs := try(tinyLab(-1), "run", "lab=tiny")
	if code != exitFailed || out != "" || !strings.HasPrefix(errs, "spillway: the simulator has a bug: boxes everywhere\n") {
		t.Errorf("exit code %d, %s%s", code, out, errs)
	}
}

// TestBreaksOff: a run that fails though its settings do not contradict ends the
// command, which names it.
func TestBreaksOff(t *testing.T) {
	door := tinyLab(1)
	torn := door
	torn.New = func() lab.Lab {
		l := door.New()
		run := l.Run
		l.Run = func(u *knob.Setup, system string, f lab.Files, p lab.Progress) (*report.Report, any, error) {
			if u.Text("boxes") == "7.5" {
				return nil, nil, errors.New("the boxes are torn")
			}
			return run(u, system, f, p)
		}
		return l
	}
	for _, args := range [][]string{
		{"sweep", "lab=tiny", "system=arms", "road=flat", "--vary", "boxes=5,7.5,10"},
		{"sweep", "lab=tiny", "system=arms", "--vary", "boxes=5,7.5,10", "--shard", "1/1", "--parts", t.TempDir()},
		{"solve", "lab=tiny", "system=arms", "--largest", "boxes=7..8", "--precision", "0"},
	} {
		code, out, errs := try(torn, args...)
		if want := "spillway: the run lab=tiny system=arms boxes=7.5 broke off: the boxes are torn\n"; code != exitFailed || errs != want || strings.Contains(out, "torn") {
			t.Errorf("spillway %v: exit code %d, %s%s\nwant %s", args, code, out, errs, want)
		}
	}
}

// TestSetupsAreStable checks that the setup of a run, given back, is that run.
func TestSetupsAreStable(t *testing.T) {
	var first, second exec.Record
	_, out, _ := try(tinyLab(1), "run", "lab=tiny", "system=arms", "road=steep", "tricks=throw", "--json")
	if err := only1(out, &first); err != nil {
		t.Fatal(err)
	}
	_, out, _ = try(tinyLab(1), "run", "lab=tiny", "system=arms", "--setup", first.Setup, "--json")
	if err := only1(out, &second); err != nil || !reflect.DeepEqual(first, second) {
		t.Errorf("%v\nfirst  %+v\nsecond %+v", err, first, second)
	}
}

// TestListing holds the listing of the real laboratories to what the
// reference promises.
func TestListing(t *testing.T) {
	code, out, errs := run(t, "list", "--json")
	if code != exitOK {
		t.Fatal(errs)
	}
	var list listing
	if err := jsonx.Unmarshal([]byte(out), &list, jsonx.Strict); err != nil {
		t.Fatal(err)
	}
	if len(list.Labs) != len(all.Labs) {
		t.Errorf("%d laboratories, want %d", len(list.Labs), len(all.Labs))
	}
	papers := map[string]bool{}
	stable := regexp.MustCompile(`^[a-z0-9][a-z0-9+_.-]*$`)
	for _, l := range list.Labs {
		seen := map[string]bool{"file": true, "lab": true, "system": true}
		key := func(of, name string) {
			t.Helper()
			if !stable.MatchString(name) || seen[of+name] {
				t.Errorf("%s: the %s name %q is there twice or cannot be typed", l.Name, of, name)
			}
			seen[of+name] = true
		}
		for _, s := range l.Systems {
			key("system ", s.Name)
			if s.Title == "" || s.About == "" || s.Paper == "" {
				t.Errorf("%s: the system %s is not described", l.Name, s.Name)
			}
		}
		for _, q := range l.Quantities {
			key("quantity ", q.Key)
			if q.Label == "" || q.Help == "" || q.Scale <= 0 || q.Better < -1 || q.Better > 1 {
				t.Errorf("%s: the quantity %+v", l.Name, q)
			}
		}
		for _, k := range l.Knobs {
			key("", k.Key)
			if k.Label == "" || k.Help == "" || k.Kind == "" || (k.Kind == kinds[knob.Number]) != (k.Min != nil && k.Max != nil) || k.Kind == kinds[knob.One] && len(k.Choices) == 0 {
				t.Errorf("%s: the setting %+v", l.Name, k)
			}
		}
		for _, p := range l.Papers {
			if papers[p.Key] {
				t.Errorf("two papers have the key %q", p.Key)
			}
			papers[p.Key] = true
			for _, f := range p.Figures {
				if !strings.HasPrefix(f.Name, p.Key+".") || f.Title == "" {
					t.Errorf("%s: the figure %+v", p.Key, f)
				}
			}
		}
	}
}

// TestHelp explains every command, and checks that others explains only members
// that there are; that there is nothing unexplained, describe itself sees to.
func TestHelp(t *testing.T) {
	for typ, explained := range others {
		there := map[string]bool{}
		for f := range typ.Fields() {
			name, _ := member(typ, f)
			there[name] = true
		}
		for _, name := range sorted(explained) {
			if !there[name] {
				t.Errorf("%v has no member %q", typ, name)
			}
		}
	}
	got := explainAll(t)
	if data, err := os.ReadFile(reference); err == nil && string(data) == got {
		return
	} else if !*update {
		t.Fatalf("%s is not what the commands say, %v; run go test with -update", reference, err)
	}
	if err := os.WriteFile(reference, []byte(got), 0o644); err != nil {
		t.Fatal(err)
	}
}

// reference is the page with what every command says of itself.
const reference = "../../public/docs/reference.md"

// explainAll writes the reference: every command of the usage, in its order.
func explainAll(t *testing.T) string {
	t.Helper()
	commands := regexp.MustCompile(`(?m)^  ([a-z]+) `).FindAllStringSubmatch(usage, -1)
	if len(commands) < 15 {
		t.Errorf("the usage has %d commands, want 15 or more", len(commands))
	}
	var b strings.Builder
	b.WriteString("# Reference of the command\n\nWhat `spillway COMMAND -h` prints, of every command. [The native command](command.md) says how to begin.\n\nGenerated by `go test ./build/spillway -run TestHelp -update`; do not edit.\n\n```\n" + usage + "```\n")
	for _, m := range commands {
		code, out, errs := run(t, m[1], "-h")
		if code != exitOK || errs != "" {
			t.Errorf("spillway %s -h: exit code %d, %s", m[1], code, errs)
		}
		fmt.Fprintf(&b, "\n## %s\n\n```\n%s```\n", m[1], out)
	}
	return b.String()
}

// TestExamples runs a share of the examples of the documents that need no
// file, no more than a moment and no name to be filled in; at night all.
func TestExamples(t *testing.T) {
	ran := 0
	for _, file := range []string{"../../public/docs/command.md", "../../README.md"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		line := regexp.MustCompile(`(?m)^(?:go run \./build/)?spillway ((?:list|run|sweep lab|solve)\b[^#|\n]*)`)
		for _, m := range line.FindAllStringSubmatch(string(data), -1) {
			args := strings.Fields(strings.ReplaceAll(m[1], "'", ""))
			if strings.Contains(m[1], "file=") || strings.Contains(m[1], "=@") || strings.Contains(m[1], "--shard") || slices.ContainsFunc(args, func(a string) bool {
				return a == "CONFIG" || strings.Contains(a, "ARTIFACT") || strings.Contains(a, "=LAB")
			}) {
				continue
			}
			if ran++; !effort.Takes(ran, 4) {
				continue
			}
			if code, _, errs := run(t, args...); code != exitOK {
				t.Errorf("%s: spillway %s: exit code %d: %s", file, m[1], code, errs)
			}
		}
	}
	if ran < 14 {
		t.Errorf("%d examples, want 14 or more", ran)
	}
}

// What is more work than a run may be is refused before it begins, with what would help;
// --force runs it.
func TestTooMuch(t *testing.T) {
	heavy := tinyLab(10)
	const says = "Arms would be about 75 million steps of work here, and a run may have 50 million, which take some minutes. Take fewer boxes."
	for _, tt := range []struct {
		args []string
		code int
		want string // of both streams
	}{
		{[]string{"run", "lab=tiny", "system=arms", "boxes=7.5"}, exitUsage, "spillway: " + says + " --force runs it all the same.\n"},
		{[]string{"run", "lab=tiny", "system=arms", "boxes=7.5", "--json"}, exitUsage, says},
		{[]string{"run", "lab=tiny", "system=arms", "boxes=7.5", "--force"}, exitOK, "15 boxes"},
		{[]string{"run", "lab=tiny", "system=arms", "boxes=5"}, exitOK, "10 boxes"},
		{[]string{"sweep", "lab=tiny", "system=arms", "--vary", "boxes=5,7.5", "--csv"}, exitOK, `7.5,arms,contradicts,"` + says},
		{[]string{"sweep", "lab=tiny", "system=arms", "--vary", "boxes=5,7.5", "--csv", "--force"}, exitOK, "7.5,arms,ok,"},
		{[]string{"solve", "lab=tiny", "system=arms", "--largest", "boxes=1..7.5", "--fits", "--csv"}, exitOK, says},
		{[]string{"bundle", "lab=tiny", "system=arms", "boxes=7.5", "-o", filepath.Join(t.TempDir(), "x.spillway.zip")}, exitUsage, says + " --force runs it all the same.\n"},
	} {
		code, out, errs := try(heavy, tt.args...)
		if code != tt.code || !strings.Contains(out+errs, tt.want) {
			t.Errorf("%q: exit code %d, want %d and %q:\n%s%s", tt.args, code, tt.code, tt.want, out, errs)
		}
	}
}

// What list says that a number may be, run takes, and no more: as by default, and with every
// choice that says otherwise.
func TestLimitsAgree(t *testing.T) {
	_, out, _ := run(t, "list", "--json")
	var list listing
	if err := jsonx.Unmarshal([]byte(out), &list, jsonx.Strict); err != nil {
		t.Fatal(err)
	}
	limits := 0
	for i := range list.Labs {
		l := all.Labs[i].New()
		takes := func(k *knobEntry, with []knob.Pair, least, most float64) {
			t.Helper()
			info := l.Setup().Knob(k.Key)
			step := 1 / float64(info.Scale)
			for v, want := range map[float64]bool{least: true, most: true, least - step: false, most + step: false} {
				if !want && (v == least || v == most || v == 0 && info.Zero != "") {
					continue // no number of that many digits lies beyond, or 0 says that somebody else decides
				}
				text := strconv.FormatFloat(v, 'f', -1, 64)
				if err := l.Setup().Apply(append(with, knob.Pair{Key: k.Key, Text: text})); (err == nil) != want {
					t.Errorf("lab=%s %v %s=%s: %v", l.Name, with, k.Key, text, err)
				}
			}
		}
		entries := map[string]*knobEntry{}
		for n := range list.Labs[i].Knobs {
			entries[list.Labs[i].Knobs[n].Key] = &list.Labs[i].Knobs[n]
		}
		for _, k := range entries {
			if k.Min != nil {
				takes(k, nil, *k.Min, *k.Max)
			}
			for _, c := range k.Choices {
				with := []knob.Pair{{Key: k.Key, Text: c.Key}}
				for _, x := range c.Limits {
					if len(x.Choices) > 0 {
						with = append(with, knob.Pair{Key: x.Key, Text: x.Choices[0]})
					}
				}
				for _, x := range c.Limits {
					limits++
					if !slices.Contains(entries[x.Key].Limited, k.Key) {
						t.Errorf("%s does not say that %s limits it", x.Key, k.Key)
					}
					if x.Min != nil {
						takes(entries[x.Key], slices.Clip(with), *x.Min, *x.Max)
					}
				}
			}
		}
	}
	if limits < 20 {
		t.Errorf("%d limits", limits)
	}
	if _, out, _ := run(t, "list", "train"); !regexp.MustCompile(`(?m)^  batch +256 +1 to 65536; others with another model$`).MatchString(out) {
		t.Errorf("%s", out)
	}
}

// TestSection: a section is printed as text and as JSON, and what is wrong is said.
func TestSection(t *testing.T) {
	args := []string{"section", "recipes", "lab=llm", "model=llama3.1-8b", "node=one-4090", "batch=2"}
	if code, out, errs := run(t, args...); code != exitOK || !strings.Contains(out, "LoRA is fastest on 1 × GeForce RTX 4090") || !strings.Contains(out, "All weights, AdamW in bf16") {
		t.Errorf("%d: %s%s", code, out, errs)
	}
	var got sectionJSON
	if code, out, errs := run(t, append(args, "--json")...); code != exitOK || json.Unmarshal([]byte(out), &got) != nil || len(got.Tables) != 2 || len(got.Tables[0].Rows) < 7 || got.Tables[0].Rows[0].Setup == "" {
		t.Errorf("%d: %s%s", code, out, errs)
	}
	if code, out, errs := run(t, "section", "lab=llm"); code != exitOK || !strings.Contains(out, "recipes: Which recipe, on which GPU") {
		t.Errorf("%d: %s%s", code, out, errs)
	}
	for _, x := range []struct{ args, want string }{
		{"section nowhere lab=llm", "spillway section lab=llm lists them"},
		{"section recipes", "want lab=LAB"},
		{"section decode lab=llm decode=nothing", "decode"},
	} {
		if code, _, errs := run(t, strings.Fields(x.args)...); code != exitUsage || !strings.Contains(errs, x.want) {
			t.Errorf("%s: %d, %s", x.args, code, errs)
		}
	}
}

// TestRequestsAlone: a recording of a device runs the SSD alone where nobody names systems.
func TestRequestsAlone(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "disk.csv")
	if err := os.WriteFile(file, []byte("100,h,0,Write,4096,4096,5\n110,h,0,Read,4096,8192,5\n120,h,0,Write,0,512,9\n130,h,0,Read,0,4096,9\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"run", "lab=filesys", "file=" + file}, {"sweep", "lab=filesys", "file=" + file, "--vary", "channels=4,8"}} {
		if code, out, errs := run(t, args...); code != exitOK || strings.Contains(out, "Ext4") || strings.Contains(out, "ext4") || !strings.Contains(out, "SSD alone") && !strings.Contains(out, "raw") {
			t.Errorf("%v: %d, %s%s", args, code, out, errs)
		}
	}
	if code, out, errs := run(t, "run", "lab=filesys", "file="+file, "system=ext4"); code != exitOK || !strings.Contains(out, "The SSD alone takes it") {
		t.Errorf("%d, %s%s", code, out, errs)
	}
	if code, out, errs := run(t, "section", "alone", "lab=filesys", "file="+file); code != exitOK || !strings.Contains(out, "are answered within") {
		t.Errorf("%d, %s%s", code, out, errs)
	}
}
