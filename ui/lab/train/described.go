package train

import (
	"fmt"

	"spillway/sim/knob"
	"spillway/sim/workload"
	"spillway/traces/networks"
	"spillway/ui/lab"
)

// A network that a config.json describes is one more choice of the model; the description itself
// is a setting, so that links carry it.

// described is the key of that choice, and networkKnob of the description.
const (
	described   = "config"
	networkKnob = "network"
)

// example is what is described before anything was dropped.
const example = "TinyLlama-1.1B|decoder,layers:22,hidden:2048,heads:32,kv:4,dim:64,inner:5632,vocabulary:32000,sequence:2048,rms,gated,rotary"

// describedChoice offers whatever the setting describes.
func describedChoice() knob.Choice {
	return knob.Choice{
		Key: described, Label: "A network of a config.json", Word: "-", Source: "Hugging Face's transformers",
		Help: "Drop the config.json of a model on Hugging Face anywhere on this page: Llama, Mistral, Qwen, Gemma, Phi, GPT-2, OPT, BLOOM, MPT, BERT, RoBERTa, T5, ViT and their kin.",
		Set:  fmt.Sprintf("batch=4 sequence=0 optimizer=adam times=%s", workload.Estimated),
		Limits: []knob.Limit{
			{Key: "batch", Min: 1, Max: 2048}, // of 2048 tokens each
			{Key: "times", Choices: []string{string(workload.Estimated)}, Why: "nobody has published a profile of its kernels"},
			{Key: "optimizer", Choices: []string{"sgd", "momentum", "adam"}, Why: "PyTorch has no training step without one"},
			{Key: sequenceKnob, Max: networks.MaxSequence, Hint: "0 is as usual for the network."},
		},
	}
}

// descriptionKnob is the description as a setting.
func descriptionKnob() knob.Knob[settings] {
	return knob.Knob[settings]{
		Info: knob.Info{
			Key: networkKnob, Label: "Description", Kind: knob.Word, Titled: true,
			Help: "The network in numbers: its name, a bar, its kind, then sizes and words as in its config.json. Change whatever you want to try.",
		}, Word: func(s *settings) *string { return &s.Network },
	}
}

// describedEntry is a config.json among opened files: its settings are all of it.
func describedEntry(e *lab.Entry, text string) {
	batch := 4
	if n, err := countedNetwork(text); err != nil {
		e.Error = err.Error()
	} else {
		batch = defaultBatch(n)
	}
	e.Stands, e.Set = true, knob.Join([]knob.Pair{
		{Key: "model", Text: described},
		{Key: networkKnob, Text: text},
		{Key: "batch", Text: fmt.Sprint(batch)},
		{Key: sequenceKnob, Text: "0"},
		{Key: "optimizer", Text: "adam"},
		{Key: "times", Text: string(workload.Estimated)},
	}, " ")
}

// networkOf is the network of a description.
func networkOf(text string) (*networks.Network, error) {
	d, err := networks.ParseDescription(text)
	if err != nil {
		return nil, err
	}
	return d.Network()
}

// countedNetwork is networkOf with its parameters, which lowering it counts.
func countedNetwork(text string) (*networks.Network, error) {
	n, err := networkOf(text)
	if err != nil {
		return nil, err
	}
	l, err := n.Lower(networks.Options{Batch: 1, Inference: true})
	if err != nil {
		return nil, err
	}
	n.Parameters = l.Parameters
	return n, nil
}

// network is the network that the settings name, of those that package networks lowers; nil for
// other models.
func (s *settings) network() (*networks.Network, error) {
	if s.Model == described {
		return networkOf(s.Network)
	}
	return namedNetwork(s.Model), nil
}
