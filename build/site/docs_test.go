package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"spillway/sim/study"
	labs "spillway/ui/lab/all"
)

// root is that of the tree.
const root = "../.."

// documented is a site with nothing but its documents.
var documented = sync.OnceValues(func() (site, error) {
	s := site{}
	css, err := os.ReadFile(filepath.Join(root, "public", docsStyle))
	if err != nil {
		return nil, err
	}
	s[docsStyle] = css
	return s, s.addDocuments(root)
})

// allMarkdown lists the Markdown files of the tree.
func allMarkdown(t *testing.T) []string {
	t.Helper()
	var files []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || name == "dist" || name == "build/out") {
			return fs.SkipDir
		}
		if path.Ext(name) == ".md" {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Every relative link of every document in the tree leads to a file that is there, and to
// a heading that it has.
func TestLinksInTheTree(t *testing.T) {
	documents := map[string]*document{}
	for _, file := range allMarkdown(t) {
		d, err := readDocument(root, file)
		if err != nil {
			t.Fatal(err)
		}
		documents[file] = d
	}
	for _, file := range slices.Sorted(maps.Keys(documents)) {
		d := documents[file]
		for _, n := range d.links {
			to, fragment := d.target(n)
			if to == "" {
				continue
			}
			if other := documents[to]; other != nil && fragment != "" && !slices.Contains(other.anchors(), fragment) {
				t.Errorf("%s: %s has no heading %q", file, to, fragment)
			}
		}
		for _, to := range d.refers {
			if _, err := os.Stat(filepath.Join(root, to)); err != nil && !strings.Contains(to, ":") {
				t.Errorf("%s: the link to %s leads nowhere", file, to)
			}
		}
	}
	for _, file := range []string{"README.md", "DESIGN.md", "public/docs/index.md", "public/EMBED.md", "ui/model/link/LINKS.md"} {
		if documents[file] == nil || len(documents[file].source) == 0 {
			t.Errorf("there is no %s", file)
		}
	}
}

var (
	address = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	anchor  = regexp.MustCompile(` id="([^"]*)"`)
)

// In the site every link of a document leads to a file that it has, and no document needs
// a script; the page with all of them needs nothing but itself.
func TestDocuments(t *testing.T) {
	s, err := documented()
	if err != nil {
		t.Fatal(err)
	}
	for name, page := range s {
		if path.Ext(name) != ".html" {
			continue
		}
		if strings.Contains(string(page), "<script") || strings.Contains(string(page), "javascript:") {
			t.Errorf("%s has a script", name)
		}
		here := anchors(page)
		for _, m := range address.FindAllStringSubmatch(string(page), -1) {
			file, fragment, _ := strings.Cut(m[1], "#")
			switch {
			case strings.Contains(file, ":"):
			case file == "":
				if !slices.Contains(here, fragment) {
					t.Errorf("%s: there is no #%s", name, fragment)
				}
			case name == allDocuments:
				t.Errorf("%s asks for %s", name, file)
			default:
				target := path.Join(path.Dir(name), file)
				other, ours := s[target]
				_, err := os.Stat(filepath.Join(root, "public", target))
				if !ours && err != nil {
					t.Errorf("%s: the address %s leads nowhere", name, m[1])
				}
				if ours && fragment != "" && !slices.Contains(anchors(other), fragment) {
					t.Errorf("%s: %s has no #%s", name, target, fragment)
				}
			}
		}
	}
	for _, name := range []string{"index", "validation", "DESIGN", "EMBED", "ui/model/link/LINKS", "traces/spillway/FORMAT", "ui/lab/cxlssd/papers/skybyte/VALIDATION"} {
		if len(s[docs+name+".html"]) < 1000 {
			t.Errorf("docs/%s.html has %d bytes", name, len(s[docs+name+".html"]))
		}
	}
	if uncached(docs+"validation.html") || !uncached(allDocuments) {
		t.Error("the offline copy has each document once")
	}
}

func anchors(page []byte) []string {
	var all []string
	for _, m := range anchor.FindAllStringSubmatch(string(page), -1) {
		all = append(all, m[1])
	}
	return all
}

// The page's help leads to documents, in the single file, too.
func TestHelpLeadsToDocuments(t *testing.T) {
	s, err := documented()
	if err != nil {
		t.Fatal(err)
	}
	page := read(t, "index.html")
	links := regexp.MustCompile(`href="(docs/[^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(links) < 6 {
		t.Errorf("%d links", len(links))
	}
	here := anchors(s[allDocuments])
	for _, m := range links {
		if s[m[1]] == nil {
			t.Errorf("the help leads to %s, which is not there", m[1])
		}
		held := toDocument.FindStringSubmatch(m[0])
		if held == nil || !slices.Contains(here, held[1]) {
			t.Errorf("%s is not in the single file", m[1])
		}
	}
}

// What the table of validations says is what the documents of the papers say.
func TestValidationTable(t *testing.T) {
	table, err := os.ReadFile(filepath.Join(root, "public/docs/validation.md"))
	if err != nil {
		t.Fatal(err)
	}
	compared := regexp.MustCompile(`(\d+) are compared(?: like for like| as they were measured)?: (\d+) are [^.]*?(\d+) are a \*\*gap\*\*`)
	whole := regexp.MustCompile(`Of (\d+) published numbers, (\d+) are \*\*exact\*\* [^,]*, (\d+) are \*\*within\*\* [\d.]+ %, and (\d+) are a \*\*gap\*\*`)
	for _, file := range allMarkdown(t) {
		if path.Base(file) != "VALIDATION.md" || !strings.HasPrefix(file, "ui/lab/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		row := ""
		if m := compared.FindStringSubmatch(string(text)); m != nil {
			row = fmt.Sprintf("| %s | %s | %s |", m[1], m[2], m[3])
		} else if m := whole.FindStringSubmatch(string(text)); m != nil {
			row = fmt.Sprintf("| %s | %d | %s |", m[1], number(t, m[2])+number(t, m[3]), m[4])
		} else {
			t.Errorf("%s does not say how many numbers are met", file)
			continue
		}
		if i := strings.Index(string(table), file); i < 0 || !strings.Contains(string(table)[strings.LastIndex(string(table)[:i], "\n"):i], row) {
			t.Errorf("public/docs/validation.md has no row %q of %s", row, file)
		}
	}
}

// The README says how many numbers the table of validations has.
func TestReadmeCountsNumbers(t *testing.T) {
	table, err := os.ReadFile("../../public/docs/validation.md")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	counts := regexp.MustCompile(`(?m)^\| [^|]+ \| [^|]+ \| (\d+) \| \d+ \| \d+ \|`)
	for _, row := range counts.FindAllStringSubmatch(string(table), -1) {
		sum += number(t, row[1])
	}
	if want := fmt.Sprintf(" %d published numbers compared", sum); !strings.Contains(string(readme), want) {
		t.Errorf("README.md does not say%s", want)
	}
}

// A row of the table of validations that has no document of its own says what the recorded runs of its paper say.
func TestValidationBelow(t *testing.T) {
	table, err := os.ReadFile(filepath.Join(root, "public/docs/validation.md"))
	if err != nil {
		t.Fatal(err)
	}
	left := strings.Count(string(table), "| below |")
	for _, door := range labs.Labs {
		l := door.New()
		for _, p := range l.Studies() {
			begin := "| " + p.Short + " | "
			i := strings.Index(string(table), begin)
			if i < 0 {
				continue
			}
			line, _, _ := strings.Cut(string(table)[i:], "\n")
			if !strings.HasSuffix(line, "| below |") {
				continue
			}
			left--
			name := path.Join("ui/lab", door.Package, "papers", p.Key, "recorded.txt")
			text, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				t.Fatal(err)
			}
			outcomes, err := p.ReadRecorded(name, string(text))
			if err != nil { // a quantity is newer than the record: TestRecorded is about that
				t.Log(err)
				continue
			}
			rows, err := p.Rows(study.AllClaims, outcomes)
			if err != nil {
				t.Fatal(err)
			}
			compared, missed := 0, 0
			for i := range rows {
				if rows[i].Status == "" || rows[i].Duplicate {
					continue
				}
				if compared++; rows[i].Status == study.Gap {
					missed++
				}
			}
			if want := fmt.Sprintf("| %d | %d | %d | below |", compared, compared-missed, missed); !strings.HasSuffix(line, want) {
				t.Errorf("public/docs/validation.md has %q, and recorded runs say %q", line, want)
			}
		}
	}
	if left != 0 {
		t.Errorf("%d rows of public/docs/validation.md that say below are of no paper", left)
	}
}

// What documents call a package, file or type of the tree is there.
func TestNamesInDocuments(t *testing.T) {
	spans := regexp.MustCompile("`([^`\n]+)`")
	place := regexp.MustCompile(`^(?:sim|traces|ui|wasm|public|build)(?:/[\w.-]+)+$`)
	exported := regexp.MustCompile(`^([a-z][a-z0-9]*)\.([A-Z]\w*)$`)
	files := []string{"../../README.md", "../../DESIGN.md"} // as make quick sees that this reads them
	for _, file := range allMarkdown(t) {
		if strings.HasPrefix(file, "public/docs/") && file != "public/docs/seams.md" { // whose names its examples make
			files = append(files, filepath.Join(root, file))
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range spans.FindAllStringSubmatch(string(text), -1) {
			if place.MatchString(m[1]) && !strings.HasPrefix(m[1], "build/out") {
				if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
					t.Errorf("%s names %s, which is not there", file, m[1])
				}
			}
			if name := exported.FindStringSubmatch(m[1]); name != nil && !slices.Contains(exports(t, name[1]), name[2]) {
				t.Errorf("%s names %s, which is not there", file, m[1])
			}
		}
	}
}

// exports lists what packages of a name declare for others.
func exports(t *testing.T, name string) []string {
	t.Helper()
	var names []string
	for _, top := range []string{"sim", "traces", "ui", "wasm"} {
		err := fs.WalkDir(os.DirFS(filepath.Join(root, top)), ".", func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || path.Base(path.Dir(file)) != name && (path.Dir(file) != "." || top != name) || path.Ext(file) != ".go" {
				return err
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, top, file), nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, declared := range parsed.Decls {
				switch declared := declared.(type) {
				case *ast.FuncDecl:
					names = append(names, declared.Name.Name)
				case *ast.GenDecl:
					for _, spec := range declared.Specs {
						switch spec := spec.(type) {
						case *ast.TypeSpec:
							names = append(names, spec.Name.Name)
						case *ast.ValueSpec:
							for _, n := range spec.Names {
								names = append(names, n.Name)
							}
						}
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return names
}
