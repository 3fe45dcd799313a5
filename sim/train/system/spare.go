package system

// Spare lets a system leave a part of the machine unused where that is faster. Systems whose
// decisions may be worse with more hardware share it.
var Spare = Param{
	Key: "spare", Label: "Parts left unused", Unit: "", Scale: 1, Max: 1, Default: 0,
	Help:   "With G10, Capuchin and SuperNeurons, corrected: 1 also tries what they do with a little less of each part of the machine, and takes what is fastest, in about forty times the time. Their plans are greedy, so that a faster drive may make an iteration longer; what is there need not be used.",
	Source: "no publication has it",
}
