package g10

import (
	"bytes"
	"path"
	"strconv"
	"strings"
)

// A Role is what a file is for.
type Role uint8

// The roles. The three files of kernel times look alike; their names tell them apart.
const (
	Unknown       Role = iota
	NetworkFile        // a network description
	ConfigFile         // a .config file
	TimesFile          // cudnnN.txt
	InputFile          // cudnnNInputPF.txt
	FaultFile          // cudnnNPF.txt
	WorkspaceFile      // cudnnNWorkspace.txt
)

// suffixes follow cudnnN in the names of the files of one batch size.
var suffixes = [...]string{TimesFile: "", InputFile: "InputPF", FaultFile: "PF", WorkspaceFile: "Workspace"}

// ResultName returns the name of the file with a role for a batch size, for
// example cudnn256PF.txt.
func ResultName(batch int, r Role) string {
	return "cudnn" + strconv.Itoa(batch) + suffixes[r] + ".txt"
}

// SplitName reads batch size and role from a name like results/VIT/cudnn256PF.txt.
func SplitName(name string) (batch int, r Role, ok bool) {
	s, ok := strings.CutPrefix(path.Base(name), "cudnn")
	if !ok {
		return 0, Unknown, false
	}
	if s, ok = strings.CutSuffix(s, ".txt"); !ok {
		return 0, Unknown, false
	}
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	batch, err := strconv.Atoi(s[:digits])
	if err != nil || batch < 1 || batch > maxNumber {
		return 0, Unknown, false
	}
	for r := TimesFile; r <= WorkspaceFile; r++ {
		if s[digits:] == suffixes[r] {
			return batch, r, true
		}
	}
	return 0, Unknown, false
}

// Classify says what a file is for, by content; the name only tells the files
// of kernel times apart and, where the content says nothing, a .config file.
func Classify(f File) Role {
	var first, second []byte
	for line := range bytes.Lines(f.Data) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if first == nil {
			first = line
			continue
		}
		second = line
		break
	}
	if pair(first) || pair(second) {
		return ConfigFile
	}
	switch r := classifyLines(first, second); {
	case strings.HasSuffix(f.Name, ".config") && r == Unknown && !bytes.HasPrefix(first, []byte("<")):
		return ConfigFile
	case r != TimesFile:
		return r
	}
	if _, r, ok := SplitName(f.Name); ok && r != WorkspaceFile {
		return r
	}
	return TimesFile
}

// pair reports whether a line is a known key and a value.
func pair(line []byte) bool {
	var word [2][]byte
	n := split(line, word[:])
	_, known := keys[string(word[0])]
	return known && n == 2 && string(word[1]) != "="
}

// classifyLines looks at the first two lines that are not empty.
func classifyLines(first, second []byte) Role {
	number := func(w []byte) bool { return len(w) > 0 && len(bytes.Trim(w, "0123456789")) == 0 }
	letter := func(w []byte) bool { return len(w) > 0 && (w[0]|0x20 >= 'a' && w[0]|0x20 <= 'z') }
	var word [4][]byte
	n := split(first, word[:])
	switch {
	case n == 3 && number(word[0]) && string(word[2]) == "B":
		return WorkspaceFile
	case n == 3 && number(word[0]) && string(word[2]) == "ms":
		return TimesFile
	case n == 1 && number(first) && letter(second):
		return NetworkFile
	case letter(first) && bytes.HasSuffix(first, []byte("(")) && bytes.HasPrefix(second, []byte("(")):
		return NetworkFile
	}
	return Unknown
}

// Sniff reports whether a file is one of the artifact's.
func Sniff(name string, data []byte) bool { return Classify(File{name, data}) != Unknown }

// Identify reads a network description and returns the stable model ID, empty
// if it is none of the five published networks, and a name for people.
func Identify(net File) (model, title string, err error) {
	s, err := Infer(net)
	if err != nil {
		return "", "", err
	}
	if s.Transformer {
		ops, err := parseOps(net)
		if err != nil {
			return "", "", err
		}
		model = listModel(ops)
	} else {
		m := modules{name: net.Name, rest: net.Data, line: 1, ahead: 1, setup: s}
		if err := m.parse(); err != nil {
			return "", "", err
		}
		model = moduleModel(m.layers)
	}
	return model, titleOf(net.Name, model), nil
}
