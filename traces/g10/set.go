package g10

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A Set is a pile of the artifact's files, sorted by what belongs together.
// Names are paths with slashes, as far as they are known.
type Set struct {
	Networks []Network
	Configs  []File
	files    []File           // all of them
	base     map[string][]int // indices into files by base name
	broken   []File           // network descriptions that cannot be read
	Notes    []string
}

// A Network is a network description and the batch sizes it was profiled with.
type Network struct {
	File    File
	Model   string // stable ID, empty if unknown
	Title   string
	Batches []Batch
}

// A Batch is one batch size with all its files.
type Batch struct {
	Size  int
	Parts Parts
}

// Collect sorts files. It notes every file that would be missing to make use of
// another one.
func Collect(files []File) *Set {
	s := &Set{files: slices.Clone(files)}
	slices.SortStableFunc(s.files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	s.base = make(map[string][]int, len(files))
	dirs := map[string]*results{}
	var order []*results
	for i, f := range s.files {
		s.base[path.Base(f.Name)] = append(s.base[path.Base(f.Name)], i)
		switch r := Classify(f); r {
		case NetworkFile:
			s.network(f)
		case ConfigFile:
			s.Configs = append(s.Configs, f)
		case TimesFile, InputFile, FaultFile, WorkspaceFile:
			d := path.Dir(f.Name)
			if dirs[d] == nil {
				dirs[d] = &results{dir: d, batches: map[int]*[WorkspaceFile + 1]File{}}
				order = append(order, dirs[d])
			}
			dirs[d].add(s, f, r)
		}
	}
	for _, d := range order {
		s.match(d)
	}
	for i := range s.Networks {
		s.unused(&s.Networks[i])
	}
	return s
}

func (s *Set) note(format string, a ...any) { s.Notes = append(s.Notes, fmt.Sprintf(format, a...)) }

func (s *Set) network(f File) {
	model, title, err := Identify(f)
	if err != nil {
		s.note("%v", err)
		s.broken = append(s.broken, f)
		return
	}
	s.Networks = append(s.Networks, Network{File: f, Model: model, Title: title})
}

// results are the profile files of one folder, by batch size.
type results struct {
	dir     string
	sizes   []int // in order of appearance
	batches map[int]*[WorkspaceFile + 1]File
}

func (r *results) add(s *Set, f File, role Role) {
	size, named, ok := SplitName(f.Name)
	if !ok || (named == WorkspaceFile) != (role == WorkspaceFile) {
		s.note("%s: holds one number for each kernel, but its name does not say for which batch size; name it like %s",
			f.Name, ResultName(256, role))
		return
	}
	if r.batches[size] == nil {
		r.batches[size] = new([WorkspaceFile + 1]File)
		r.sizes = append(r.sizes, size)
	}
	r.batches[size][named] = f
}

// match gives the profiles of a folder to their network: the one that is called
// like the folder, or else the only one in the same folder.
func (s *Set) match(r *results) {
	var by, beside []*Network
	for i := range s.Networks {
		n := &s.Networks[i]
		switch {
		case stem(n.File.Name) == path.Base(r.dir):
			by = append(by, n)
		case path.Dir(n.File.Name) == r.dir:
			beside = append(beside, n)
		}
	}
	if len(by) == 0 {
		by = beside
	}
	slices.Sort(r.sizes)
	broken := slices.ContainsFunc(s.broken, func(f File) bool {
		return stem(f.Name) == path.Base(r.dir) || path.Dir(f.Name) == r.dir
	})
	switch {
	case len(r.sizes) == 0, len(by) == 0 && broken:
		return
	case len(by) == 0:
		name := path.Base(r.dir)
		if name == "." || name == "/" {
			name = "NAME"
		}
		s.note("%s: kernel times of an unknown network; add its description, frontend/Nets/%s.txt",
			path.Join(r.dir, ResultName(r.sizes[0], TimesFile)), name)
		return
	case len(by) > 1:
		s.note("%s: %s and %s may both be its network; put the kernel times into a folder that is called like one of them",
			path.Join(r.dir, ResultName(r.sizes[0], TimesFile)), by[0].File.Name, by[1].File.Name)
		return
	}
	for _, size := range r.sizes {
		f := r.batches[size]
		if missing := r.missing(size); len(missing) > 0 {
			s.note("%s, batch %d: add %s", by[0].Title, size, strings.Join(missing, ", "))
			continue
		}
		by[0].Batches = append(by[0].Batches, Batch{size, Parts{
			Network: by[0].File, Times: f[TimesFile], InputFault: f[InputFile], Fault: f[FaultFile], Workspace: f[WorkspaceFile],
		}})
	}
}

// missing lists the files that a batch size lacks.
func (r *results) missing(size int) []string {
	var names []string
	for role := TimesFile; role <= WorkspaceFile; role++ {
		if r.batches[size][role].Name == "" {
			names = append(names, path.Join(r.dir, ResultName(size, role)))
		}
	}
	return names
}

// unused notes a network for which there are no kernel times at all.
func (s *Set) unused(n *Network) {
	for _, f := range s.files {
		if _, _, ok := SplitName(f.Name); ok && (path.Base(path.Dir(f.Name)) == stem(n.File.Name) || path.Dir(f.Name) == path.Dir(n.File.Name)) {
			return
		}
	}
	dir := "results/" + stem(n.File.Name) + "/"
	s.note("%s describes a network but there are no kernel times: add %s, and %s, %s and %s beside it (or those of another batch size)",
		path.Base(n.File.Name), dir+ResultName(256, TimesFile), ResultName(256, InputFile), ResultName(256, FaultFile), ResultName(256, WorkspaceFile))
}

func stem(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }

// Find returns the file that a .config file means by a path like
// ../results/VIT/cudnn256.txt: it has the same name, and the same folder
// or none, or lies beside the .config file.
func (s *Set) Find(config, p string) (name string, data []byte, err error) {
	want := strings.TrimPrefix(path.Clean("/"+p), "/")
	best, most, ties := -1, 0, 0
	for _, i := range s.base[path.Base(want)] {
		f := s.files[i]
		score := alike(f.Name, want)
		if score == 1 && path.Dir(f.Name) != "." && path.Dir(f.Name) != path.Dir(config) {
			continue // a file of the same name in another folder
		}
		switch {
		case score > most:
			best, most, ties = i, score, 1
		case score == most && score > 0:
			ties++
		}
	}
	switch {
	case best < 0:
		return "", nil, fmt.Errorf("%s is not among the files; add it", want)
	case ties > 1:
		return "", nil, fmt.Errorf("%s could be any of %d files; keep their folders", want, ties)
	}
	return s.files[best].Name, s.files[best].Data, nil
}

// alike counts the path elements at the end in which two paths agree.
func alike(a, b string) int {
	n := 0
	for a != "" && b != "" {
		i, j := strings.LastIndexByte(a, '/'), strings.LastIndexByte(b, '/')
		if a[i+1:] != b[j+1:] {
			break
		}
		n++
		a, b = a[:max(i, 0)], b[:max(j, 0)]
	}
	return n
}
