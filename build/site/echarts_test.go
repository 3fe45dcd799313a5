package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// What the page draws with is in its first visit: of ECharts it has every kind of chart and
// every renderer that charts.js names, and no other.
func TestECharts(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	entry, charts := read("echarts.mjs"), read("../../public/charts.js")
	for _, tt := range []struct{ from, ending, option string }{
		{"echarts/charts", "Chart", "type"},
		{"echarts/renderers", "Renderer", "renderer"},
	} {
		list := regexp.MustCompile(`import \{([^}]*)\} from '` + tt.from + `'`).FindStringSubmatch(entry)
		if list == nil {
			t.Fatalf("echarts.mjs takes nothing from %s", tt.from)
		}
		for name := range strings.SplitSeq(list[1], ",") {
			name = strings.TrimSpace(name)
			kind := strings.ToLower(strings.TrimSuffix(name, tt.ending))
			if !regexp.MustCompile(`\b` + tt.option + `: '` + kind + `'`).MatchString(charts) {
				t.Errorf("echarts.mjs takes %s, but nothing in charts.js has %s: '%s'; leave it out", name, tt.option, kind)
			}
		}
	}
	for _, kind := range []string{"Area", "Line", "Point"} { // one that is not there draws nothing, without an error
		used, there := strings.Contains(charts, "mark"+kind+":"), strings.Contains(entry, "Mark"+kind+"Component")
		if used != there {
			t.Errorf("charts.js draws mark%s: %t; echarts.mjs has it: %t", kind, used, there)
		}
	}
	for _, m := range regexp.MustCompile(`renderer: '(\w+)'`).FindAllStringSubmatch(charts, -1) {
		if m[1] != "canvas" {
			t.Errorf("charts.js draws with the renderer %q, which echarts.mjs has not", m[1])
		}
	}
}
