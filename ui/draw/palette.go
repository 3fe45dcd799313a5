package draw

import (
	"math"
	"strconv"
)

// A paint is a color in both themes, as #rrggbb.
type paint struct{ light, dark string }

// palette has the colors of public/style.css that drawings use, by the names that
// figures give them; a test holds the two against each other.
var palette = map[string]paint{
	"--bg":       {"#f3f4f6", "#12151a"},
	"--panel":    {"#ffffff", "#1a1e25"},
	"--line":     {"#d9dce2", "#323945"},
	"--grid":     {"#e8eaee", "#2a303a"},
	"--axis":     {"#848b98", "#667080"},
	"--text":     {"#1b1f27", "#e7eaf0"},
	"--text-2":   {"#515966", "#a9b2c0"},
	"--accent":   {"#1d4fd7", "#8ab0ff"},
	"--limit":    {"#b3170c", "#ff8d7f"},
	"--room":     {"#dde2ea", "#333d4b"},
	"--system-0": {"#6b7280", "#9ca3af"},
	"--system-1": {"#b45309", "#f0a04b"},
	"--system-2": {"#be185d", "#f07cb0"},
	"--system-3": {"#7c3aed", "#cfa8ff"},
	"--system-4": {"#0891b2", "#2cc5de"},
	"--system-5": {"#2c5816", "#a3d685"},
	"--system-6": {"#1d4fd7", "#5588f7"},
	"--system-7": {"#411400", "#bd4d00"},
	"--system-8": {"#0f076f", "#e9e7f5"},
	"--system-9": {"#69126f", "#b139ab"},
	"--part-0":   {"#2f7dc4", "#4f9fe6"},
	"--part-1":   {"#d9622b", "#ee8450"},
	"--part-2":   {"#8a6fc4", "#ac94e2"},
	"--part-3":   {"#8a8f2a", "#b9bd55"},
	"--part-4":   {"#b4437c", "#d873a8"},
	"--part-5":   {"#4b5563", "#8d96a5"},
	"--part-6":   {"#1f9e89", "#51c3ad"},
	"--part-7":   {"#5b2c12", "#efe3c8"},
	"--compute":  {"#64748b", "#7b8798"},
	"--overlap":  {"#2f7dc4", "#4f9fe6"},
	"--stall":    {"#d9622b", "#ee8450"},
	"--cause-0":  {"#b4437c", "#d873a8"},
	"--cause-1":  {"#2f7dc4", "#4f9fe6"},
	"--cause-2":  {"#d9622b", "#ee8450"},
	"--cause-3":  {"#8a6fc4", "#ac94e2"},
	"--cause-4":  {"#8a8f2a", "#b9bd55"},
	"--cause-5":  {"#4b5563", "#8d96a5"},
	"--cause-6":  {"#1d6b2f", "#6fdc7d"},
	"--cause-7":  {"#5b2c12", "#efe3c8"},
	"--ssd-in":   {"#b84a16", "#ee8450"},
	"--ssd-out":  {"#d37f52", "#b05a2e"},
	"--host-in":  {"#1b5c9f", "#4f9fe6"},
	"--host-out": {"#5f97cd", "#356fb0"},
	"--level-0":  {"#e9edf2", "#232a35"},
	"--level-1":  {"#f2cf63", "#7d3a3a"},
	"--level-2":  {"#e58a2c", "#c25a2a"},
	"--level-3":  {"#b5391f", "#eba63c"},
	"--level-4":  {"#5a0f2e", "#fbf0c0"},
}

// color is the paint with a figure's name for it; what has no name is like an axis.
func color(name string) paint {
	if c, ok := palette[name]; ok {
		return c
	}
	return palette["--axis"]
}

// mixed is a over ground, as if ground were seen through it.
func mixed(a, ground paint, share float64) paint {
	return paint{mix(a.light, ground.light, share), mix(a.dark, ground.dark, share)}
}

func mix(a, b string, share float64) string {
	out := []byte("#")
	x, y := parts(a), parts(b)
	for i := range x {
		v := int(math.Round(float64(x[i]*share) + float64(y[i]*(1-share))))
		if v < 16 {
			out = append(out, '0')
		}
		out = strconv.AppendInt(out, int64(v), 16)
	}
	return string(out)
}

// parts are the red, green and blue of #rrggbb, from 0 to 255.
func parts(c string) (x [3]float64) {
	for i := range x {
		v, _ := strconv.ParseUint(c[1+2*i:3+2*i], 16, 8) // the palette has only such
		x[i] = float64(v)
	}
	return x
}

// over is the paint, of two, that is read best on a ground.
func over(ground, a, b paint) paint {
	return paint{legible(ground.light, a.light, b.light), legible(ground.dark, a.dark, b.dark)}
}

func legible(ground, a, b string) string {
	if contrast(a, ground) >= contrast(b, ground) {
		return a
	}
	return b
}

// contrast is how much lighter one color is than the other.
func contrast(a, b string) float64 {
	x, y := light(a), light(b)
	return max(x/y, y/x)
}

// light is about the luminance, by which two colors are compared.
func light(c string) float64 {
	x := parts(c)
	for i := range x {
		x[i] = x[i] / 255 * x[i] / 255
	}
	return float64(0.2126*x[0]) + float64(0.7152*x[1]) + float64(0.0722*x[2]) + 0.05
}
