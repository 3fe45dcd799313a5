package g10

import (
	"strings"
	"testing"

	"spillway/sim/workload"
)

// TestMalformedConfig lists the exact message for each kind of mistake.
func TestMalformedConfig(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `bad.config: empty; want lines of a key and a value, like "batch_size 256"`},
		{"# nothing\n\n", `bad.config: empty; want lines of a key and a value, like "batch_size 256"`},
		{"is_resnet 1\nbatch_sise 5\n", `bad.config:2: unknown key "batch_sise"; see the artifact's src/configs for the keys`},
		{"batch_size\n", `bad.config:1: batch_size has no value; write "batch_size value"`},
		{"batch_size 0\n", `bad.config:1: batch_size: "0" is not a whole number from 1 to 1073741824`},
		{"batch_size many\n", `bad.config:1: batch_size: "many" is not a whole number from 1 to 1073741824`},
		{"is_senet yes\n", `bad.config:1: is_senet: "yes"; want 0 or 1`},
		{"kernel_speedup 0\n", `bad.config:1: kernel_speedup: "0" is not above 0`},
		{"kernel_speedup fast\n", `bad.config:1: kernel_speedup: "fast" is not a number; use digits with a decimal point, like 15.754`},
		{"input_H 4\ninput_W 4\n", `bad.config: no batch_size; add a line "batch_size N"`},
		{"batch_size 4\n", `bad.config: no input_H or input_W; add the height and width of the input image`},
		{
			"batch_size 4\nis_resnet 1\nis_senet 1\nnn_model_input_file ../a.txt",
			`bad.config: more than one of is_resnet, is_inception and is_senet is 1; keep the one that fits ../a.txt`,
		},
		{
			"batch_size 4\nis_transformer 1\neviction_policy DEEPUM",
			`bad.config: eviction_policy and migration_policy must both be DEEPUM or neither`,
		},
	} {
		_, err := ParseConfig("bad.config", []byte(c.text))
		if got := message(err); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestMalformedParts breaks one file of a good workload at a time.
func TestMalformedParts(t *testing.T) {
	const (
		times     = "../results/cudnn2.txt"
		workspace = "../results/cudnn2Workspace.txt"
		net       = "../linear.txt"
	)
	for _, c := range []struct{ file, old, new, want string }{
		{times, "0001 ", "0002 ", `cudnn2.txt:2: index "0002"; want 0001: one line for each kernel, in order`},
		{times, "0.000203", "0.0x0203", `cudnn2.txt:4: kernel 3: "0.0x0203" is not a number; use digits with a decimal point, like 0.197632`},
		{times, "0.000203", "0.0", `cudnn2.txt:4: kernel 3: time "0.0" is not above 0 and at most 1000 s`},
		{times, "0.000203", "-1", `cudnn2.txt:4: kernel 3: "-1" is not a number; use digits with a decimal point, like 0.197632`},
		{times, "0.000203", "123456789", `cudnn2.txt:4: kernel 3: time "123456789" is not above 0 and at most 1000 s`},
		{times, "0.000203", "1234567890123456", `cudnn2.txt:4: kernel 3: "1234567890123456" is too large`},
		{times, "0.000203 ms", "203 us", `cudnn2.txt:4: kernel 3: unit "us"; want "ms"`},
		{times, "0.000203 ms", "203", `cudnn2.txt:4: want an index, a value and "ms", as in "0003 1 ms"`},
		{times, "0009 0.000209 ms\n", "", `cudnn2.txt has 9 kernels, but the network in linear.txt has 10; use the files of one network together`},
		{times, "", "", `cudnn2.txt: empty; want one line "0000 … ms" for each kernel`},
		{workspace, "100 B", "1e2 B", `cudnn2Workspace.txt:2: kernel 1: size "1e2" is not a whole number of bytes from 0 to 4398046511104`},
		{workspace, "100 B", "-4 B", `cudnn2Workspace.txt:2: kernel 1: size "-4" is not a whole number of bytes from 0 to 4398046511104`},
		{workspace, "100 B", "100 kB", `cudnn2Workspace.txt:2: kernel 1: unit "kB"; want "B"`},
		{workspace, "0009 400 B\n", "", `cudnn2Workspace.txt has 9 kernels, but the network in linear.txt has 10; use the files of one network together`},
		{net, "Tiny(", "Tiny", `linear.txt:2: "conv" in Tiny; want "(label): Module(…)" or ")"`},
		{net, "", "", `linear.txt:1: the file ends; want "("`},
		{net, "(conv): ", "conv: ", `linear.txt:2: "conv" in Tiny; want "(label): Module(…)" or ")"`},
		{net, "(conv): ", "(conv) ", `linear.txt:2: "Conv2d"; want ":"`},
		{net, "\n)", "", `linear.txt:4: the file ends in Tiny; want "(label): Module(…)" or ")"`},
		{net, "\n)", "\n) (", `linear.txt:4: "(" after the end of the network; a file describes one network`},
		{net, "Conv2d", "Conv3d", `linear.txt:2: "3" in Conv3d; want "(label): Module(…)" or ")"`},
		{net, "(fc): Linear(in_features=8, out_features=5, bias=False)", "(act): GELU()", `linear.txt:3: GELU is neither an operator this format knows nor a block with children; known are Conv2d, ReLU, MaxPool2d, AdaptiveAvgPool2d, Linear, Dropout, BatchNorm2d`},
		{net, "(3, 2,", "(3, two,", `linear.txt:2: Conv2d: argument 2 is "two"; want a whole number from 1 to 1073741824`},
		{net, "(3, 2,", "(", `linear.txt:2: Conv2d: argument 1 is missing; want a whole number`},
		{net, "stride=(2, 2)", "stride=(0, 2)", `linear.txt:2: Conv2d: stride is "0"; want a whole number from 1 to 1073741824`},
		{net, ", stride=(2, 2)", "", `linear.txt:2: Conv2d: stride is missing`},
		{net, "stride=(2, 2)", "stride=(2, 2), groups=64", `linear.txt:2: Conv2d: groups=64; the published simulator knows only 1`},
		{net, "stride=(2, 2)", "stride=(2 2)", `linear.txt:2: "2"; want ","`},
		{net, "stride=(2, 2)", "stride=2 2", `linear.txt:2: "2"; want "," or ")"`},
		{net, "bias=False", "bias=No", `linear.txt:3: Linear: bias is "No"; want True or False`},
		{net, "in_features=8, ", "", `linear.txt:3: Linear: in_features is missing`},
		{net, "in_features=8", "in_features=100", `linear.txt:3: fc (Linear): its output would be 0×1×1 (channels, height, width); is the input 4×4?`},
		{net, "(conv): Conv2d", "(drop): Dropout(p=0.5)\n(conv): Conv2d", `linear.txt: the network must begin with a Conv2d`},
		{net, "kernel_size=(2, 2)", "kernel_size=(9, 2)", `linear.txt:2: conv (Conv2d): its output would be 2×0×2 (channels, height, width); is the input 4×4?`},
		{net, "(fc)", "(bn): BatchNorm2d(7)\n(fc)", `linear.txt:3: bn (BatchNorm2d): is for 7 channels, but its input has 2; does the .config set the right one of is_resnet, is_inception and is_senet?`},
	} {
		files := tiny(t)
		if c.old == "" {
			files[c.file] = ""
		} else {
			files[c.file] = strings.Replace(files[c.file], c.old, c.new, 1)
		}
		_, err := buildTiny(t, tinyConfig, files)
		if got := message(err); got != c.want {
			t.Errorf("%s: %q instead of %q:\n got %s\nwant %s", c.file, c.new, c.old, got, c.want)
		}
	}
}

// TestMissingParts names the file and the line that asks for it.
func TestMissingParts(t *testing.T) {
	files := tiny(t)
	delete(files, "../results/cudnn2PF.txt")
	_, err := buildTiny(t, tinyConfig, files)
	if got, want := message(err), `tiny.config:10: pf_kernel_time_file: ../results/cudnn2PF.txt is not among the files; add it`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	config := strings.Replace(tinyConfig, "workspace_size_file", "#", 1)
	_, err = buildTiny(t, config, tiny(t))
	if got, want := message(err), `tiny.config: no workspace_size_file; add a line that names the file`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestMalformedBlocks checks blocks whose children are not those their name promises.
func TestMalformedBlocks(t *testing.T) {
	const stem = "N(\n(c): Conv2d(3, 4, kernel_size=1, stride=1)\n"
	for _, c := range []struct{ text, want string }{
		{"N(\n(b): Bottleneck(\n(c): Conv2d(3, 4, kernel_size=1, stride=1)))", `net:2: Bottleneck has 1 children; want 7, or 8 with a downsample`},
		{"N((b): BasicBlock(" + strings.Repeat("\n(c): Conv2d(3, 3, kernel_size=1, stride=1)", 5) + "))", `net:1: BasicBlock is the first module; it needs a layer before it`},
		{stem + "(b): Bottleneck(" + strings.Repeat("\n(r): ReLU()", 8) + "))", `net:3: Bottleneck has 8 layers; want 9`},
		{stem + "(b): InceptionA((r): ReLU()))", `net:3: InceptionA has 1 layers; want 21`},
		{stem + "(b): InceptionE((r): ReLU()))", `net:3: InceptionE has 1 layers; want 27`},
		{stem + "(b): SENetUnit((r): ReLU()))", `net:3: SENetUnit has 1 children; want body, se and activ, or identity_conv too`},
		{stem + strings.Repeat("(s): Sequential(", 64), `net:3: modules are nested more than 64 deep`},
	} {
		b := &builder{w: &workload.Workload{}}
		err := b.cnn(File{"net", []byte(c.text)}, Setup{ResNet: true, Inception: true, SENet: true, Batch: 1, Height: 8, Width: 8})
		if got := message(err); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestMalformedList(t *testing.T) {
	const end = "\n-------------------\n"
	for _, c := range []struct{ text, want string }{
		{"", `list: no operators`},
		{"x", `list:1: an operator's id is "x"; want a whole number from 0 to 1073741824`},
		{"30\nGelu\n1", `list:2: operator 30 has the unknown type "Gelu"; known are Add, BatchMatMul, Convolution, Divide, Dot, Erf, GatherV2, Multiply, Power, Relu, SoftmaxBasic, Sqrt, Subtract, Sum and Tanh`},
		{"30\nAdd\n3", `list:3: the number of inputs of Add is "3"; want a whole number from 2 to 2`},
		{"30\nAdd\n2\n1\n", `list:5: the file ends where an input's id should be`},
		{"30\nErf\n1\n1\n17", `list:5: an input's rank is "17"; want a whole number from 0 to 16`},
		{"30\nErf\n1\n1\n1\n0", `list:6: a dimension is "0"; want a whole number from 1 to 1073741824`},
		{"30\nErf\n1\n1\n1\n4\n31\nErf", `list:7: operator 30 (Erf) is followed by "31"; want a line of 19 dashes`},
		{"30\nErf\n1\n1\n1\n4" + end + "30\nErf\n1\n1\n1\n4" + end, `list:8: operator 30 (Erf): the same id as the operator in line 1`},
		{"30\nSoftmaxBasic\n1\n1\n1\n4" + end, `list:1: operator 30 (SoftmaxBasic): a softmax is a group of 4 operators, but the file ends`},
		{"30\nErf\n1\n25\n1\n4" + end, `list:1: operator 30 (Erf): its first input 25 needs no gradient; it must be a weight or another operator's result`},
		{"30\nDot\n2\n25\n26\n1\n4\n1\n4" + end, `list:1: operator 30 (Dot): none of its inputs is a weight; trans_borden (ids below are weights) is 20: is it right?`},
		{"30\nDot\n2\n5\n6\n1\n4\n1\n4" + end, `list:1: operator 30 (Dot): all its inputs are weights; trans_borden (ids below are weights) is 20: is it right?`},
		{"30\nErf\n1\n1\n1\n4" + end + "31\nErf\n1\n1\n1\n4" + end, `list:1: operator 30 (Erf): nothing that trains uses its result; only the last operator may end a network`},
		{"30\nErf\n1\n1\n3\n1000000\n1000000\n1000000" + end, `list:1: operator 30 (Erf): tensor "Erf 30" would have 1000000000000000000 elements; want 1 to 1099511627776`},
	} {
		b := &builder{w: &workload.Workload{}}
		err := b.transformer(File{"list", []byte(c.text)}, Setup{Transformer: true, Border: 20, Batch: 2})
		if got := message(err); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
	_, err := Infer(File{"list", []byte("30\nErf\n1\n1\n1\n4" + end)})
	want := `list: cannot tell weights from inputs: no GatherV2 or Convolution reads a batch of inputs; add a .config file with a line "trans_borden N" (tensor ids below N are weights)`
	if got := message(err); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func message(err error) string {
	if err == nil {
		return "no error"
	}
	return err.Error()
}
