package train

import (
	"strings"
	"testing"

	reader "spillway/ui/files"
	"spillway/ui/lab"
)

// A config.json becomes a network to train: its entry stands for settings that a link carries, and
// batch, length and precision are set as of any other.
func TestDescribedNetwork(t *testing.T) {
	const config = `{"_name_or_path":"Qwen/Qwen2.5-0.5B","model_type":"qwen2","hidden_size":896,"intermediate_size":4864,"num_attention_heads":14,"num_hidden_layers":24,"num_key_value_heads":2,"tie_word_embeddings":true,"vocab_size":151936}`
	l := New()
	f, err := reader.Open(&l, []lab.File{{Name: "config.json", Data: []byte(config)}})
	if err != nil {
		t.Fatal(err)
	}
	e := f.Entries()
	if len(e) != 1 || !e[0].Stands || e[0].Error != "" || e[0].Name != "Qwen2.5-0.5B" {
		t.Fatalf("%+v", e)
	}
	few := alone(t, &l, e[0].Set+" batch=2 gpu=a100-80")
	many := alone(t, &l, e[0].Set+" batch=8 sequence=512 precision=amp-bf16 attention=flash2 gpu=a100-80")
	if few["compute_s"] <= many["compute_s"] {
		t.Errorf("%v s, %v s of more samples in bf16", few["compute_s"], many["compute_s"])
	}
	u, err := l.Read(e[0].Set)
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := l.Run(u, "ideal", nil, nil)
	if err != nil || !strings.Contains(r.About, "494 million parameters") || !strings.HasPrefix(r.Lead, "Qwen2.5-0.5B with Adam at batch 16 needs") {
		t.Errorf("%v: %s %s", err, r.Lead, r.About)
	}
	for set, want := range map[string]string{
		"model=config network=x":                            "decoder, encoder, pair or picture",
		"model=config network=x|decoder,layers:2":           "hidden is missing",
		"model=config batch=2048 sequence=131072":           "tokens in all",
		"model=config network=x|decoder,layers:600,heads:1": "want 1 to 512",
	} {
		u, err := l.Read(set)
		if err == nil {
			_, _, err = l.Run(u, "ideal", nil, nil)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", set, err, want)
		}
	}
	if u := l.Setup(); !u.Hidden(networkKnob) {
		t.Error("a description is offered beside a bundled model")
	}
}
