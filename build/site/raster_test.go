package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image/color"
	"image/png"
	"slices"
	"testing"
)

// drawing has one of everything that package draw writes.
const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="576" height="291" viewBox="0 0 576 291">
<title>T</title><metadata><s:view xmlns:s="urn:x"><rect x="0" y="0" width="576" height="291" fill="#000000"/></s:view></metadata>
<defs><pattern id="p0" width="6" height="6"><rect width="6" height="6" fill="#00ff00"/><rect width="2" height="6" fill="#000000"/></pattern><clipPath id="c"><rect x="0" y="0" width="576" height="291" fill="#000000"/></clipPath></defs>
<rect x="0" y="0" width="576" height="291" fill="#ffffff"/>
<rect x="10" y="10" width="100" height="50" fill="#ff0000"/>
<rect x="10" y="70.25" width="100" height="50" fill="url(#p0)"/>
<circle cx="200" cy="35" r="10" fill="#0000ff"/>
<path d="M300 10L400 10L400 60L300 60Z" fill="#ff00ff"/>
<path d="M10.5 150H300V200 L10 200" stroke="#000000" stroke-width="4" fill="none"/>
<text x="288" y="240" text-anchor="middle" font-size="24" font-weight="600" fill="#000000">É×Il</text>
</svg>`

func TestPaint(t *testing.T) {
	data, err := paint(drawing)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if size := picture.Bounds().Size(); size.X != cardWidth || size.Y != cardHeight {
		t.Fatalf("the card is %v", size)
	}
	// The drawing is twice as large, 24 pixels from the border.
	for _, c := range []struct {
		what string
		x, y int // of the drawing
		want color.RGBA
	}{
		{"the ground, where the metadata has black", 500, 250, color.RGBA{255, 255, 255, 255}},
		{"a rectangle", 60, 35, color.RGBA{255, 0, 0, 255}},
		{"a pattern's ground", 60, 95, color.RGBA{0, 255, 0, 255}},
		{"a circle", 200, 35, color.RGBA{0, 0, 255, 255}},
		{"beside it", 192, 27, color.RGBA{255, 255, 255, 255}},
		{"an area", 350, 35, color.RGBA{255, 0, 255, 255}},
		{"a line", 100, 150, color.RGBA{0, 0, 0, 255}},
		{"and its turn", 300, 180, color.RGBA{0, 0, 0, 255}},
		{"what it goes around", 100, 180, color.RGBA{255, 255, 255, 255}},
	} {
		if got := color.RGBAModel.Convert(picture.At(24+2*c.x, 24+2*c.y)); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
	dark := 0
	for y := 24 + 2*220; y < 24+2*245; y++ {
		for x := 24 + 2*250; x < 24+2*326; x++ {
			if r, _, _, _ := picture.At(x, y).RGBA(); r < 0x8000 {
				dark++
			}
		}
	}
	if dark < 200 || dark > 2000 {
		t.Errorf("the text has %d dark pixels", dark)
	}
	// The same picture on every machine.
	pixels := sha256.New()
	for y := range cardHeight {
		for x := range cardWidth {
			r, g, b, _ := picture.At(x, y).RGBA()
			pixels.Write([]byte{byte(r >> 8), byte(g >> 8), byte(b >> 8)})
		}
	}
	if got, want := hex.EncodeToString(pixels.Sum(nil))[:16], "5172ac54b1f19102"; got != want {
		t.Errorf("the pixels are %s, want %s", got, want)
	}
}

func TestPaintRefuses(t *testing.T) {
	for _, text := range []string{"", "<html/>", `<svg width="1" height="1"><path d="C1 2"/></svg>`, `<svg width="1" height="1"><path d="L1 2"/></svg>`, "<svg"} {
		if _, err := paint(text); err == nil {
			t.Errorf("%q is painted", text)
		}
	}
}

// All of ASCII has letters, none of which is empty but the blank.
func TestLetters(t *testing.T) {
	all := letters()
	if len(all) != 96 {
		t.Errorf("%d letters, want 96", len(all))
	}
	for i, l := range all[1:95] {
		if l.right <= l.left || slices.IndexFunc(l.lines, func(line [][2]int) bool { return len(line) > 1 }) < 0 {
			t.Errorf("%q is from %d to %d, %v", rune('!'+i), l.left, l.right, l.lines)
		}
	}
}
