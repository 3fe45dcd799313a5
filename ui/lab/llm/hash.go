package llm

import "spillway/sim/hash"

// hashOf returns the SHA-256 of a run, in hexadecimal. Equal runs have equal hashes on every
// platform and in every version of this program: what is hashed is listed here. A fact that
// outcomes learn to hold later is not in it.
func hashOf(x *outcome) string { return hash.Sum(frozen(x)) }

// frozen returns x as text that never changes. What is counted by kind is written by the
// kind's number, so new kinds come last.
func frozen(x *outcome) []byte {
	var t hash.Text
	t.Open('{')
	t.String("system", x.System)
	t.String("variant", x.Variant)
	t.String("reason", x.Reason)
	t.Int("tokens", x.Tokens)
	t.Int("time_ps", x.Time)
	t.Int("unmet_bytes", x.Unmet)
	t.Int("host_peak_bytes", x.HostPeak)
	t.Int("drive_peak_bytes", x.DrivePeak)
	t.Int("micro_batch", x.Micro)
	hash.List(&t, "gpus", x.GPUs, func(t *hash.Text, g *gpuOutcome) {
		t.Open('{')
		hash.Counts(t, "ledger_ps", g.Ledger[:])
		t.Int("peak_bytes", g.Peak)
		t.Int("overlapped_ps", g.Overlapped)
		t.Int("read_bytes", g.Read)
		t.Int("written_bytes", g.Written)
		t.Int("host_read_bytes", g.HostRead)
		t.Int("host_written_bytes", g.HostWritten)
		t.Int("demand", g.Demand)
		t.Int("late", g.Late)
		t.Close('}')
	})
	hash.List(&t, "links", x.Links, func(t *hash.Text, l *link) {
		t.Open('{')
		t.String("name", l.Name)
		t.Int("rate_bytes_per_s", l.Rate)
		t.Int("bytes", l.Bytes)
		t.Int("busy_ps", l.Busy)
		t.Close('}')
	})
	t.Int("kernels", x.Kernels)
	t.Int("operations_billion", x.Operations)
	hash.Strings(&t, "notes", x.Notes)
	hash.List(&t, "tried", x.Tried, func(t *hash.Text, a *try) {
		t.Open('{')
		t.String("variant", a.Variant)
		t.Int("time_ps", a.Time)
		t.String("stuck", a.Stuck)
		t.Close('}')
	})
	if r := x.Recipe; r != nil {
		t.Int("recipe_trained", r.Trained)
		t.Int("recipe_weights_bytes", r.Weights)
		t.Int("recipe_gradients_bytes", r.Gradients)
		t.Int("recipe_states_bytes", r.States)
		t.Int("recipe_activations_bytes", r.Activations)
		t.Int("recipe_logits_bytes", r.Logits)
		t.Int("recipe_gathered_bytes", r.Gathered)
		t.Int("recipe_layer_bytes", r.Layer)
		t.Int("recipe_begins_bytes", r.Begins)
		t.Int("recipe_ends_bytes", r.Ends)
		t.Int("recipe_products_ps", r.Products)
		t.Int("recipe_attention_ps", r.Attention)
		t.Int("recipe_moving_ps", r.Moving)
		t.Int("recipe_host_ps", r.Host)
		t.Int("recipe_unpack_ps", r.Unpack)
		t.Int("recipe_optimizer_ps", r.Optimizer)
		t.Int("recipe_communication_ps", r.Communication)
		t.Int("recipe_paging_ps", r.Paging)
	}
	if p := x.Policy; p != nil {
		t.String("policy_sha256", p.SHA256)
		t.String("policy_text", p.Text)
		t.Int("policy_asked", p.Asked)
		t.Int("policy_work", p.Work)
		hash.Strings(&t, "policy_notes", p.Notes)
	}
	t.Close('}')
	return t
}
