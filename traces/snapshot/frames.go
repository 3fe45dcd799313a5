package snapshot

import "strings"

// roleOf says what a function on a call stack tells about an allocation, and
// false if it tells nothing. Stacks are read from the innermost function; the
// first that tells something counts, so that what a forward pass takes again
// inside the backward pass, as checkpointing does, is the forward pass's.
func roleOf(function, file string) (Role, bool) {
	switch function {
	case "forward", "_call_impl", "_wrapped_call_impl":
		return Forward, true
	case "backward", "_engine_run_backward":
		return Backward, true
	case "_apply", "reset_parameters", "load_state_dict", "_load_from_state_dict":
		return Model, true
	case "profile_hook_step", "_init_group":
		return Optimizer, true
	case "step":
		return Optimizer, strings.Contains(file, "optim")
	}
	switch {
	case strings.HasPrefix(function, "_multi_tensor_"), strings.HasPrefix(function, "_single_tensor_"):
		return Optimizer, true
	case strings.HasPrefix(function, "torch::autograd::"):
		return Backward, strings.HasPrefix(function, "torch::autograd::Engine::") ||
			strings.Contains(function, "Backward") || strings.Contains(function, "AccumulateGrad")
	}
	return Other, false
}

// optimizing reports whether an annotation stands around an optimizer's step.
func optimizing(annotation string) bool { return strings.HasPrefix(annotation, "Optimizer.step") }
