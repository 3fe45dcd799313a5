package system

// Spare lets a system leave a part of the machine unused where that is faster. Systems whose
// decisions may be worse with more hardware share it.
var Spare = Param{
	Key: "spare", Label: "Parts left unused", Unit: "", Scale: 1, Max: 1, Default: 0,
	Help:   "With G10, Capuchin and SuperNeurons, corrected: 1 also tries their plans for a little less of each part of the machine and takes the fastest, which takes about forty times as long. Plans are greedy, so a faster drive may make an iteration longer; no part has to be used up.",
	Source: "no publication has it",
}
