package train

import (
	"spillway/sim/knob"
	"spillway/ui/lab"
)

// presets are what the page opens on, the first of them, and offers. A network that there is
// operator by operator too (-pytorch) is that here, as people train it.
func presets() []lab.Preset {
	const (
		trusted = " mode=corrected"
		lms     = " lms_limit=100"             // as where nobody says it: see unsaid
		bytes   = " transfer_cost=0" + trusted // a transfer costs its bytes alone
		oneWay  = " duplex_loss=0" + bytes     // both directions of a link at their full rate
	)
	return []lab.Preset{
		{
			Key: "gpt2-xl-rtx-4090", Title: "GPT-2 XL, RTX 4090",
			About: "Training 1.56 billion parameters as PyTorch does it, on one GPU of 24 GiB with 64 GiB of host memory and a 990 PRO.",
			Set:   "model=gpt2-xl-pytorch batch=1 optimizer=adam times=estimated machine=rtx-4090-pcie-4-990-pro" + trusted + lms,
			Was: []string{
				"model=gpt2-xl-pytorch batch=1 optimizer=adam times=estimated machine=rtx-4090-pcie-4-990-pro" + trusted,
				"model=gpt2-xl-pytorch batch=1 optimizer=adam times=estimated machine=rtx-4090-pcie-4-990-pro" + bytes,
				"model=gpt2-xl-pytorch batch=1 optimizer=adam times=estimated machine=rtx-4090-pcie-4-990-pro" + oneWay,
				"model=gpt2-xl-pytorch batch=1 optimizer=adam times=estimated machine=rtx-4090-pcie-4-990-pro gpu_link=31.508 host_link=31.508 ssd=fixed ssd_write=6.9" + oneWay,
				"model=gpt2-xl batch=1 optimizer=adam times=estimated machine=rtx-4090-pcie-4-990-pro gpu_link=31.508 host_link=31.508 ssd=fixed ssd_write=6.9" + oneWay,
			},
		},
		{
			Key: "g10-paper", Title: "As in the G10 paper",
			About: "BERT-base at batch 256 on the machine of Table 2, with the paper's kernel times and the published simulator's accidents.",
			Set:   "model=bert-base batch=256 times=as-paper machine=g10-table-2-a100-40gb-pcie-3-z-nand mode=published",
		},
		{
			Key: "resnet-152-corrected", Title: "ResNet-152, corrected",
			About: "The paper's machine and batch with PyTorch's kernels, warm, and without the simulator's accidents.",
			Set:   "model=resnet-152-pytorch batch=1280 times=estimated machine=g10-table-2-a100-40gb-pcie-3-z-nand" + trusted + lms,
			Was:   []string{"model=resnet-152-pytorch batch=1280 times=estimated machine=g10-table-2-a100-40gb-pcie-3-z-nand" + trusted, "model=resnet-152 batch=1280 times=estimated machine=g10-table-2-a100-40gb-pcie-3-z-nand" + trusted},
		},
		{
			Key: "vit-h100", Title: "ViT, H100",
			About: "4,096 images an iteration on a GPU of 80 GiB, over PCIe 5.",
			Set:   "model=vit-s-32 batch=4096 optimizer=adam times=estimated machine=h100-80gb-pcie-5-pm1743" + trusted + lms,
			Was: []string{
				"model=vit-s-32 batch=4096 optimizer=adam times=estimated machine=h100-80gb-pcie-5-pm1743" + trusted,
				"model=vit-s-32 batch=4096 optimizer=adam times=estimated machine=h100-80gb-pcie-5-pm1743" + bytes,
				"model=vit-s-32 batch=4096 optimizer=adam times=estimated machine=h100-80gb-pcie-5-pm1743" + oneWay,
				"model=vit-s-32 batch=4096 optimizer=adam times=estimated machine=h100-80gb-pcie-5-pm1743 gpu_link=63.015 host_link=63.015" + oneWay,
			},
		},
		{
			Key: "bert-rtx-3060", Title: "BERT, 12 GB",
			About: "BERT-base at batch 64, as PyTorch trains it, on an RTX 3060 with 32 GiB of host memory and a 980 PRO.",
			Set:   "model=bert-base-pytorch batch=64 optimizer=adam times=estimated machine=rtx-3060-pcie-4-980-pro" + trusted + lms,
			Was: []string{
				"model=bert-base-pytorch batch=64 optimizer=adam times=estimated machine=rtx-3060-pcie-4-980-pro" + trusted,
				"model=bert-base-pytorch batch=64 optimizer=adam times=estimated machine=rtx-3060-pcie-4-980-pro" + bytes,
				"model=bert-base-pytorch batch=64 optimizer=adam times=estimated machine=rtx-3060-pcie-4-980-pro" + oneWay,
				"model=bert-base-pytorch batch=64 optimizer=adam times=estimated machine=rtx-3060-pcie-4-980-pro gpu_link=31.508 host_link=31.508 ssd=fixed ssd_write=5.1" + oneWay,
				"model=bert-base batch=256 optimizer=adam times=estimated machine=rtx-3060-pcie-4-980-pro gpu_link=31.508 host_link=31.508 ssd=fixed ssd_write=5.1" + oneWay,
			},
		},
		{
			Key: "own-moves", Title: "A policy of your own",
			About:   "Three lines under Your policy decide, kernel by kernel, what makes room, what leaves at once and how long before its use it is asked for. On BERT at batch 256 with 20 GiB that is faster than G10's plan of the whole iteration. Change one and see.",
			Set:     "model=bert-base batch=256 times=as-paper machine=g10-table-2-a100-40gb-pcie-3-z-nand gpu_memory=20 policy=%23Room+ahead@evict=next@leave=next%3E100+and+size%3E8MiB+and+free%3Ccapacity/4@ahead=40" + trusted,
			Systems: []string{"ideal", "g10", "sentinel", "own"},
		},
		{
			Key: "deepum-gpt2-xl", Title: "DeepUM",
			About:   "The DeepUM paper's setting: PyTorch's kernels at batch 5 on a V100 of 32 GiB over PCIe 3 with 512 GiB of host memory. UM and DeepUM use three quarters of the GPU, as fitted to the paper; the others use all of it.",
			Set:     "model=gpt2-xl-pytorch batch=5 machine=v100-32gb-pcie-3-deepum times=deepum-fit iterations=4 um_usable=75.7813" + trusted,
			Was:     []string{"model=gpt2-xl-pytorch batch=5 machine=v100-32gb-pcie-3-deepum iterations=4 um_usable=75.7813" + trusted},
			Systems: []string{"ideal", "um", "lms", "deepum"},
		},
	}
}

// unsaid is that only what the published simulator ran itself, with the kernel times of its
// paper, is run as it was published; and that LMS fills the GPU before tensors leave: IBM's
// default, which DeepUM's comparison has, moves them although all fits.
func unsaid() []lab.Unsaid {
	return []lab.Unsaid{{Key: "mode", Text: "corrected", Unless: "times=as-paper"}, {Key: "lms_limit", Text: "100", Unless: "times=as-paper"}}
}

// older is what links meant when they were of an older format. The first knew no
// other laboratory; its machine brought no GPU and no kernel times along.
func older() []lab.Upgrade {
	return []lab.Upgrade{
		{
			Format: 1, Meant: "gpu=a100-40 times=as-paper", Renamed: []knob.Pair{{Key: "axis", Text: "by-memory"}}, Figure: "g10.11",
			Systems: []string{"ideal", "uvm", "flashneuron", "deepum+", "g10-gds", "g10-host", "g10"},
		},
		{Format: 2, Meant: "fault_batch=256"},
		{Format: 3, Focus: "uvm", Were: byProtocol()},
	}
}

// byProtocol says what machines were before they had what copies and drives sustain: links at
// their protocol's rate in both directions at once, transfers that cost their bytes alone, drives
// at the rate of their cache, and no drive simulated.
func byProtocol() (list []lab.Was) {
	for _, m := range []struct{ key, link, rest string }{
		{"a100-80gb-pcie-4-980-pro", "31.508", " ssd=fixed ssd_write=5.1"},
		{"v100-32gb-pcie-3-z-nand", "15.754", ""},
		{"h100-80gb-pcie-5-pm1743", "63.015", ""},
		{"rtx-4090-pcie-4-990-pro", "31.508", " ssd=fixed ssd_write=6.9"},
		{"a100-40gb-pcie-4-optane-p5800x", "31.508", ""},
		{"rtx-3060-pcie-4-980-pro", "31.508", " ssd=fixed ssd_write=5.1"},
	} {
		list = append(list, lab.Was{Setting: knob.Pair{Key: "machine", Text: m.key}, Meant: "gpu_link=" + m.link + " host_link=" + m.link + " duplex_loss=0 transfer_cost=0" + m.rest})
	}
	return list
}
