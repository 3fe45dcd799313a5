package flash

import "testing"

func BenchmarkSimulate(b *testing.B) {
	for _, d := range Drives() {
		for _, p := range []struct {
			name    string
			pattern Pattern
		}{{"default", Default()}, {"random", Random()}} {
			b.Run("drive="+d.Key+"/pattern="+p.name, func(b *testing.B) {
				for b.Loop() {
					if _, err := Simulate(d.Spec, p.pattern); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
