package program

import (
	"errors"
	"strings"
	"testing"

	"spillway/sim/train/machine"
)

func TestWriteText(t *testing.T) {
	p := Program{Ops: []Op{
		{At: 0, Kind: Prefetch, Tensor: 3},
		{At: 0, Kind: Evict, Tensor: 1, To: machine.SSD},
		{At: 7, Kind: Free, Tensor: 2},
		{At: 9, Kind: Evict, Tensor: 12, To: machine.Host},
	}}
	var b strings.Builder
	if err := p.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	want := "0: prefetch 3 evict 1→ssd\n7: free 2\n9: evict 12→host\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	b.Reset()
	if err := new(Program).WriteText(&b); err != nil || b.Len() > 0 {
		t.Errorf("an empty program prints %q, %v", b.String(), err)
	}
	if err := p.WriteText(broken{}); err == nil {
		t.Error("a write error is lost")
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestCount(t *testing.T) {
	p := Program{Ops: []Op{
		{Kind: Prefetch},
		{Kind: Prefetch},
		{Kind: Free},
		{Kind: Evict, To: machine.SSD},
		{Kind: Evict, To: machine.SSD},
		{Kind: Evict, To: machine.SSD},
		{Kind: Evict, To: machine.Host},
	}}
	for _, tt := range []struct {
		kind Kind
		to   machine.Tier
		want int
	}{
		{Prefetch, machine.Nowhere, 2},
		{Prefetch, machine.SSD, 2},
		{Free, machine.Nowhere, 1},
		{Evict, machine.SSD, 3},
		{Evict, machine.Host, 1},
		{Evict, machine.GPU, 0},
	} {
		if got := p.Count(tt.kind, tt.to); got != tt.want {
			t.Errorf("Count(%v, %v) = %d, want %d", tt.kind, tt.to, got, tt.want)
		}
	}
}
