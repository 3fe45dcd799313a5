package g10

import (
	"bytes"
	"fmt"

	"spillway/sim/unit"
)

// A Setup says how to read a network description. A .config file gives it;
// without one it is inferred.
type Setup struct {
	Transformer bool  // numeric operator list instead of a module print
	Border      int64 // transformer: tensor ids below are weights (trans_borden)
	// ResNet, Inception and SENet choose the block names that rewire a chain of
	// layers into branches.
	ResNet, Inception, SENet bool
	Batch                    int64
	Height, Width            int64 // of the input image
	// Speedup is kernel_speedup in billionths; 0 and 1e9 leave times alone. It is
	// reckoned in whole cycles of Clock, 0 for the artifact's 1.2 GHz.
	Speedup int64
	Clock   unit.Frequency
}

// Infer reads from a network description what a .config file would say, except
// the batch size. Images are 299x299 for Inception networks, else 224x224, as
// in all the artifact's configs. The weight border of an operator list is the
// smallest id of an input with a batch dimension that a GatherV2 takes as
// indices or a Convolution as image: the exporter numbers weights first, then
// the network's inputs.
func Infer(net File) (Setup, error) {
	s := Setup{Height: 224, Width: 224}
	if numericList(net.Data) {
		ops, err := parseOps(net)
		if err != nil {
			return s, err
		}
		s.Transformer = true
		s.Border, err = inferBorder(net.Name, ops)
		return s, err
	}
	s.ResNet = bytes.Contains(net.Data, []byte(": Bottleneck(")) || bytes.Contains(net.Data, []byte(": BasicBlock("))
	s.Inception = bytes.Contains(net.Data, []byte(": Inception"))
	s.SENet = bytes.Contains(net.Data, []byte(": SENetUnit("))
	if s.Inception {
		s.Height, s.Width = 299, 299
	}
	return s, nil
}

// numericList reports whether a description is an operator list: it begins with a digit.
func numericList(data []byte) bool {
	data = bytes.TrimLeft(data, " \t\r\n")
	return len(data) > 0 && data[0] >= '0' && data[0] <= '9'
}

func inferBorder(name string, ops []op) (int64, error) {
	lowest, border := ops[0].id, int64(-1)
	for i := range ops {
		lowest = min(lowest, ops[i].id)
	}
	for i := range ops {
		o := &ops[i]
		at := -1
		switch {
		case o.kind == "GatherV2" && len(o.inputs) == 2:
			at = 1
		case o.kind == "Convolution" && len(o.inputs) == 2:
			at = 0
		}
		if at < 0 || o.inputs[at] >= lowest || len(o.dims[at]) == 0 || o.dims[at][0] != batchDim {
			continue
		}
		if border < 0 || o.inputs[at] < border {
			border = o.inputs[at]
		}
	}
	if border < 1 {
		return 0, fmt.Errorf("%s: cannot tell weights from inputs: no GatherV2 or Convolution reads a batch of inputs; "+
			"add a .config file with a line \"trans_borden N\" (tensor ids below N are weights)", name)
	}
	return border, nil
}
