package main

import (
	"bytes"
	_ "embed" // the template of a document
	"errors"
	"fmt"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"spillway/build/tree"
)

// Documents are public/docs/index.md and all Markdown that it leads to, as long as it is a
// source of the site. Each is a page below docs/ that needs no script; together
// they are one page more, which the single file has inside.

// docs is the folder of the documents in the site, allDocuments the page with all of them.
const (
	docs         = "docs/"
	allDocuments = docs + "all.html"
	docsStyle    = docs + "page.css"
)

//go:embed docs.html
var docsTemplate string

// A document is a Markdown file of the tree.
type document struct {
	file   string // from the root of the tree
	page   string // in the site
	title  string // its first heading
	parts  []part // its headings of the second level
	source []byte
	tree   ast.Node
	links  []*ast.Link
	refers []string // files that relative links lead to, from the root of the tree
}

// A part is a heading with its place in the page.
type part struct{ ID, Title string }

// markdown reads CommonMark with tables. What is HTML in it is left out.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Table))

// readDocument reads and parses a file of the tree at root.
func readDocument(root, file string) (*document, error) {
	source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		return nil, err
	}
	d := &document{file: file, page: pageOf(file), source: source, tree: markdown.Parser().Parse(text.NewReader(source))}
	err = ast.Walk(d.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			d.addHeading(n)
		case *ast.Link:
			d.links = append(d.links, n)
			if target, _ := d.target(n); target != "" {
				d.refers = append(d.refers, target)
			}
		case *ast.Image:
			d.refers = append(d.refers, path.Join(path.Dir(file), string(n.Destination)))
		}
		return ast.WalkContinue, nil
	})
	return d, err
}

// pageOf is where a document of the tree is in the site.
func pageOf(file string) string {
	name := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(file, "public/"), docs), ".md")
	return docs + name + ".html"
}

// addHeading gives a heading the anchor that Markdown hosts give it.
func (d *document) addHeading(n *ast.Heading) {
	title := d.textOf(n)
	p := part{anchorOf(title), title}
	n.SetAttributeString("id", []byte(p.ID))
	if n.Level == 1 && d.title == "" {
		d.title = title
	}
	if n.Level == 2 {
		d.parts = append(d.parts, p)
	}
}

// textOf is what people read of a node.
func (d *document) textOf(n ast.Node) string {
	var b strings.Builder
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if t, ok := child.(*ast.Text); ok {
			b.Write(t.Segment.Value(d.source))
		} else {
			b.WriteString(d.textOf(child))
		}
	}
	return b.String()
}

var notInAnchors = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchorOf is how Markdown hosts call a heading in links.
func anchorOf(title string) string {
	return strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-")
}

// anchors are all headings of the document as links name them.
func (d *document) anchors() []string {
	var all []string
	_ = ast.Walk(d.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it fails nowhere
		if id, ok := n.AttributeString("id"); ok && entering {
			all = append(all, string(id.([]byte)))
		}
		return ast.WalkContinue, nil
	})
	return all
}

// target is the file of the tree and the fragment that a link leads to; no file if it
// leads out of the tree.
func (d *document) target(n *ast.Link) (file, fragment string) {
	to := string(n.Destination)
	if strings.Contains(to, ":") {
		return "", ""
	}
	to, fragment, _ = strings.Cut(to, "#")
	if to == "" {
		return d.file, fragment
	}
	return path.Join(path.Dir(d.file), to), fragment
}

// readDocuments reads the documents of the site: public/docs/index.md, what it links to,
// and what that links to.
func readDocuments(root string) ([]*document, error) {
	var all []*document
	queue := []string{"public/" + docs + "index.md"}
	for i := 0; i < len(queue); i++ {
		d, err := readDocument(root, queue[i])
		if err != nil {
			return nil, err
		}
		if d.title == "" {
			return nil, fmt.Errorf("%s has no title", d.file)
		}
		all = append(all, d)
		for _, to := range d.refers {
			if path.Ext(to) == ".md" && tree.IsSource(to) && !slices.Contains(queue, to) {
				queue = append(queue, to)
			}
		}
	}
	there, err := filepath.Glob(filepath.Join(root, "public", docs, "*.md"))
	for _, file := range there {
		if file = "public/" + docs + filepath.Base(file); !slices.Contains(queue, file) {
			err = errors.Join(err, fmt.Errorf("no document links to %s", file))
		}
	}
	return all, err
}

// addDocuments adds all documents of the tree at root as pages.
func (s site) addDocuments(root string) error {
	all, err := readDocuments(root)
	if err != nil {
		return err
	}
	page, err := template.New("document").Parse(docsTemplate)
	if err != nil {
		return err
	}
	var articles []article
	for _, d := range all {
		a, err := d.article(root, all, d.relative, "")
		if err != nil {
			return err
		}
		if err := s.addDocument(page, d.page, d.title, a); err != nil {
			return err
		}
	}
	for _, d := range all { // after the pages: this changes what was parsed
		again, err := readDocument(root, d.file)
		if err != nil {
			return err
		}
		a, err := again.article(root, all, anchored, name(d)+".")
		if err != nil {
			return err
		}
		articles = append(articles, a)
	}
	for _, file := range tree.Names(s) { // they are pages now
		if strings.HasPrefix(file, docs) && path.Ext(file) == ".md" {
			delete(s, file)
		}
	}
	return s.addDocument(page, allDocuments, "Spillway's documents", articles...)
}

// name is what a document is called in the page with all of them.
func name(d *document) string {
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(d.page, docs), ".html"), "/", ".")
}

// relative is the address of another file of the site, as seen from the document's page.
func (d *document) relative(to *document, file, fragment string) string {
	target := strings.TrimPrefix(file, "public/")
	if to != nil {
		target = to.page
	}
	up := strings.Repeat("../", strings.Count(d.page, "/"))
	if after, ok := strings.CutPrefix(target, docs); ok {
		target, up = after, strings.TrimPrefix(up, "../")
	}
	return up + target + fragment
}

// anchored is the address of a document in the page with all of them, which has nothing
// around it.
func anchored(to *document, _, fragment string) string {
	if to == nil {
		return ""
	}
	return "#" + name(to) + strings.Replace(fragment, "#", ".", 1)
}

// An article is a document as HTML.
type article struct {
	ID, Title string
	Parts     []part
	Body      template.HTML
}

// article renders the document. address says where links lead, "" if nowhere; prefix
// comes before the names of its headings.
func (d *document) article(root string, all []*document, address func(to *document, file, fragment string) string, prefix string) (article, error) {
	var errs []error
	for _, n := range d.links {
		file, fragment := d.target(n)
		if file == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err != nil {
			errs = append(errs, fmt.Errorf("%s: the link %s leads nowhere", d.file, n.Destination))
			continue
		}
		if fragment != "" {
			fragment = "#" + fragment
		}
		i := slices.IndexFunc(all, func(other *document) bool { return other.file == file })
		to := ""
		switch {
		case i >= 0:
			to = address(all[i], file, fragment)
		case strings.HasPrefix(file, "public/"):
			to = address(nil, file, fragment)
			if to != "" && path.Ext(file) == "" {
				to += "/" // a folder
			}
		}
		if to == "" {
			unlink(n)
		}
		n.Destination = []byte(to)
	}
	parts := slices.Clone(d.parts)
	for i := range parts {
		parts[i].ID = prefix + parts[i].ID
	}
	err := ast.Walk(d.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if id, ok := n.AttributeString("id"); ok && entering {
			n.SetAttributeString("id", append([]byte(prefix), id.([]byte)...))
		}
		return ast.WalkContinue, nil
	})
	var b bytes.Buffer
	err = errors.Join(err, markdown.Renderer().Render(&b, d.source, d.tree))
	if strings.Contains(b.String(), "<!-- raw HTML omitted -->") || strings.Contains(b.String(), "<img ") {
		errs = append(errs, fmt.Errorf("%s: HTML and pictures have no place in a document", d.file))
	}
	return article{strings.TrimSuffix(prefix, "."), d.title, parts, template.HTML(scrolled(b.String()))}, errors.Join(append(errs, err)...)
}

// unlink leaves of a link its text.
func unlink(n *ast.Link) {
	parent := n.Parent()
	for child := n.FirstChild(); child != nil; child = n.FirstChild() {
		parent.InsertBefore(parent, n, child)
	}
	parent.RemoveChild(parent, n)
}

// scrolled lets what is wide be scrolled by itself, with the keyboard, too.
func scrolled(text string) string {
	return strings.NewReplacer(
		"<pre>", `<pre tabindex="0">`,
		"<table>", `<div class="scroll" tabindex="0"><table>`, "</table>", "</table></div>",
	).Replace(text)
}

// addDocument adds a page with articles.
func (s site) addDocument(page *template.Template, to, title string, articles ...article) error {
	var style template.CSS // the single file has one page and no folder
	if to == allDocuments {
		style = template.CSS(s[docsStyle])
	}
	var b bytes.Buffer
	err := page.Execute(&b, map[string]any{"Title": title, "Up": strings.Repeat("../", strings.Count(to, "/")), "Style": style, "Articles": articles})
	if err != nil {
		return err
	}
	return tree.Add(s, to, b.Bytes())
}
