package llm

import "spillway/ui/lab"

// Settings that only some systems read.
const (
	adapters = "rank targets"                         // of recipes that train adapters
	asRecipe = adapters + " compile state accumulate" // of systems by recipe, beside any recipe
	ofTeraIO = "host_limit fallback min_tensor target rewrite"
	ofStates = "sub_group prefetch live reuse bucket" // of systems that gather and update in pieces
	ofBuffer = "buffers buffer_size opt_buffers"      // pinned
	ofZero   = "zero_cut zero_micro stage delayed pipelined " + ofStates + " " + ofBuffer
	updates  = "adam"
	spares   = "host_spare host_margin"
)

// unread is what systems do not read: how others cut a model, what others move, recipes that they do not know.
func unread() []lab.Unread {
	return []lab.Unread{
		{Systems: "single", Keys: "zero spare gemm network ring_step endurance " + updates + " " + ofTeraIO + " " + ofZero},
		{Systems: "ddp fsdp", Keys: "tensor data zero spare gemm gds endurance " + updates + " " + ofTeraIO + " " + ofZero},
		{Systems: "fsdp-offload", Keys: "gds endurance zero_cut stage delayed pipelined " + ofTeraIO + " " + ofStates + " " + ofBuffer},
		{Systems: "ideal", Keys: "method optimizer optimizer_in_backward loss activation_offload gds endurance " + asRecipe + " " + spares + " " + updates + " " + ofTeraIO + " " + ofZero},
		{Systems: "teraio-ssd", Keys: "host_limit " + asRecipe + " " + spares + " " + updates + " " + ofZero},
		{Systems: "teraio-mixed own", Keys: asRecipe + " " + updates + " " + ofZero},
		{Systems: "zero-offload", Keys: "gds endurance pipelined " + asRecipe + " " + ofTeraIO + " " + ofBuffer},
		{Systems: "zero-infinity", Keys: "gds stage delayed " + asRecipe + " " + ofTeraIO},
	}
}
