package system

// CopyAhead makes copies of what a plan evicts before it leaves. Planners of swaps share it.
var CopyAhead = Param{
	Key: "copy_ahead", Label: "Copies made ahead", Unit: "", Scale: 1, Max: 1, Default: 0,
	Help:   "With SwapAdvisor, AutoTM and G10: 1 copies a tensor that will leave as early as its last write, while nothing else leaves; later it leaves without traffic. G10's plan then moves without unified memory.",
	Source: "no publication has it; Spillway's own planner does it",
}
