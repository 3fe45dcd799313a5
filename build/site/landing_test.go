package main

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	labs "spillway/ui/lab/all"

	"spillway/build/tree"
)

// presetsShown are run once for all tests.
var presetsShown = sync.OnceValues(func() ([]shown, error) { return showPresets(context.Background(), nil) })

// landed is a site with the pages of presets, for an origin.
func landed(t *testing.T, origin string) site {
	t.Helper()
	if testing.Short() {
		t.Skip("runs every preset")
	}
	s := site{"index.html": []byte(`<span id="version">01234567</span>`)}
	err := filepath.WalkDir("../../public", func(file string, d os.DirEntry, err error) error {
		name := strings.TrimPrefix(filepath.ToSlash(file), "../../public/")
		if err != nil || d.IsDir() || !strings.HasPrefix(name, examples) && path.Ext(name) != ".png" {
			return err
		}
		s[name], err = os.ReadFile(file)
		return err
	})
	all, wrong := presetsShown()
	if err := errors.Join(err, wrong, s.addLandings(all, origin)); err != nil {
		t.Fatal(err)
	}
	return s
}

// Every preset has a page that stands without scripts, wherever the site is.
func TestLandings(t *testing.T) {
	s := landed(t, "")
	total := 0
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if strings.HasPrefix(name, figures) {
			total += len(s[name])
		}
		if strings.HasSuffix(name, "oembed.json") {
			t.Errorf("%s: has no origin to name", name)
		}
	}
	if total > 6_200_000 { // eleven presets of file systems are 0.9 MB of it, eight of LLM training, with bands over time, 1.4 MB, nine of serving 1.3 MB
		t.Errorf("f/ has %d bytes", total)
	}
	for _, door := range labs.Labs {
		for _, p := range door.New().Presets {
			checkLanding(t, s, figures+p.Key+"/", p.Title)
		}
	}
	for name, data := range s {
		checkRelative(t, s, name, string(data))
	}
}

func checkLanding(t *testing.T, s site, folder, title string) {
	t.Helper()
	page := string(s[folder+"index.html"])
	for _, want := range []string{"<h1>" + html.EscapeString(title), "<tbody><tr><th scope=\"row\">", `property="og:title"`, `name="citation_title"`, "version 01234567"} {
		if !strings.Contains(page, want) {
			t.Errorf("%s: no %s", folder, want)
		}
	}
	_, data, _ := strings.Cut(page, `<script type="application/ld+json">`)
	data, _, _ = strings.Cut(data, "</script>")
	var about map[string]any
	if err := json.Unmarshal([]byte(data), &about); err != nil || about["@type"] != "Dataset" || about["name"] != title {
		t.Errorf("%s: %v of %s", folder, err, data)
	}
	// A figure runs the chart that its section is about.
	sections := regexp.MustCompile(`<section aria-labelledby="([^"]+)">`).FindAllStringSubmatch(page, -1)
	figures := regexp.MustCompile(`<spill-figure src="[^"]+" only="([^"]+)">`).FindAllStringSubmatch(page, -1)
	if len(sections) != len(figures) {
		t.Fatalf("%s: %d sections, %d figures", folder, len(sections), len(figures))
	}
	for i, m := range sections {
		if figures[i][1] != m[1] {
			t.Errorf("%s: the figure of chart %s asks for %q", folder, m[1], figures[i][1])
		}
	}
	pictures := regexp.MustCompile(`<img src="([\w-]+\.svg)" alt="([^"]+)" width="(\d+)" height="(\d+)">`).FindAllStringSubmatch(page, -1)
	if len(pictures) < 3 {
		t.Errorf("%s: %d pictures", folder, len(pictures))
	}
	for _, m := range pictures {
		d := xml.NewDecoder(strings.NewReader(string(s[folder+m[1]])))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s%s: %v", folder, m[1], err)
			}
		}
		if !strings.Contains(string(s[folder+m[1]]), "<title") || m[3] == "0" || m[4] == "0" {
			t.Errorf("%s%s: no title, or no size in %q", folder, m[1], m[0])
		}
	}
}

// checkRelative follows the addresses in a page, none of which may begin at the
// host's root.
func checkRelative(t *testing.T, s site, name, page string) {
	t.Helper()
	if path.Ext(name) != ".html" || name == "index.html" {
		return
	}
	for _, m := range regexp.MustCompile(`(?:href|src|picture)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		file, fragment, _ := strings.Cut(m[1], "#")
		if strings.Contains(file, "{site}") || strings.HasPrefix(file, "data:") {
			continue
		}
		target := path.Join(path.Dir(name), file)
		if strings.HasSuffix(file, "/") {
			target = path.Join(target, "index.html")
		}
		_, there := s[target]
		known := there || slices.Contains([]string{component, "icon.svg", docsStyle, docs + "FIGURE.html", docs + "EMBED.html"}, target)
		if strings.HasPrefix(file, "/") || strings.Contains(file, ":") || !known {
			t.Errorf("%s: the address %s leads nowhere", name, m[1])
		}
		if fragment != "" && !strings.Contains(fragment, "lab=") && !strings.HasPrefix(fragment, "v=") {
			t.Errorf("%s: %q is no link", name, fragment)
		}
	}
}

// Where the site is known it says what other places show of an address.
func TestLandingsWithOrigin(t *testing.T) {
	const at = "https://example.org/spillway/"
	s := landed(t, at)
	for _, door := range labs.Labs {
		for _, p := range door.New().Presets {
			folder := figures + p.Key + "/"
			var card struct {
				Version, Type, HTML string
				Thumbnail           string `json:"thumbnail_url"`
				Width, Height       int
			}
			if err := json.Unmarshal(s[folder+"oembed.json"], &card); err != nil || card.Version != "1.0" || card.Type != "rich" || card.Width*card.Height == 0 {
				t.Errorf("%s: %+v, %v", p.Key, card, err)
			}
			if !strings.HasPrefix(card.HTML, `<iframe src="`+at+"?embed=view#") || s[strings.TrimPrefix(card.Thumbnail, at)] == nil {
				t.Errorf("%s: %s, %s", p.Key, card.HTML, card.Thumbnail)
			}
			// The picture is the preset's own, but where all its charts are too large for a file.
			if own := s[folder+"card.png"] != nil; own != strings.HasSuffix(card.Thumbnail, folder+"card.png") || !own && slices.ContainsFunc(tree.Names(s), func(name string) bool { return strings.HasPrefix(name, folder) && strings.HasSuffix(name, ".svg") }) {
				t.Errorf("%s: the picture is %s", p.Key, card.Thumbnail)
			}
			page := string(s[folder+"index.html"])
			for _, want := range []string{`type="application/json&#43;oembed" href="` + at + folder + "oembed.json", `property="og:image" content="` + at, `property="og:url" content="` + at + folder} {
				if !strings.Contains(page, want) && !strings.Contains(page, strings.ReplaceAll(want, "&#43;", "+")) {
					t.Errorf("%s: no %s", p.Key, want)
				}
			}
		}
	}
	if !strings.Contains(string(s[examples+"figure.ipynb"]), "site = '"+at+"'") {
		t.Error("the notebook does not name the site")
	}
}

func TestOrigin(t *testing.T) {
	for text, want := range map[string]string{"": "", "https://a.org": "https://a.org/", "http://a.org:8/b/": "http://a.org:8/b/"} {
		if got, err := origin(text); got != want || err != nil {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"a.org", "javascript:x", "https://a.org/?b", "https://a.org/#b", "/x"} {
		if _, err := origin(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

// An example that asks for what there is not is not built.
func TestExamplesAskForWhatIsThere(t *testing.T) {
	all := []*preset{{Key: "a"}}
	for _, ask := range []string{"@link b@", "@alt a/b@"} {
		if err := (site{examples + "x.html": []byte(ask)}).fillExamples(all); err == nil {
			t.Errorf("%s is accepted", ask)
		}
	}
	s := site{examples + "x.html": []byte("@site@"), "y.html": []byte("@link b@")}
	if err := s.fillExamples(all); err != nil || string(s[examples+"x.html"]) != "https://SITE/" {
		t.Errorf("%s, %v", s[examples+"x.html"], err)
	}
}
