package main

var mutants = []mutant{
	// Engines.
	{
		"paged-frees-late", "sim/train/engine/paged/run.go",
		"!e.w.Tensors[t].Global && e.vital.Death[t] <= e.kernel+1",
		"!e.w.Tensors[t].Global && e.vital.Death[t] <= e.kernel",
	},
	{
		"blocks-half-dense", "sim/train/engine/blocks/gpu.go",
		"n != size && 2*n > size",
		"n != size && 2*n >= size",
	},
	{
		"swap-host-rate", "sim/train/engine/link/rates.go",
		"min(w[HostIn], in-s.wants(SSDIn, x[SSDIn]))",
		"min(w[HostIn], in-s.wants(SSDOut, x[SSDOut]))",
	},
	{
		"idle-after-last-kernel", "sim/vitality/vitality.go",
		"case last < end-1:",
		"case last < end:",
	},
	{
		"planner-stale-benefit", "sim/train/system/g10/benefit.go",
		"start < hi+n32 && lo+n32 < end",
		"start < hi && lo+n32 < end",
	},
	{
		"store-late-wait", "sim/store/run.go",
		"r.pass(WaitLate, wait)",
		"r.pass(WaitMiss, wait)",
	},
	{
		"buddy-smallest-first", "sim/compress/buddy/buddy.go",
		"return cmp.Compare(list[b].Bytes, list[a].Bytes)",
		"return cmp.Compare(list[a].Bytes, list[b].Bytes)",
	},
	{
		"flash-copy-channel", "sim/flash/device.go",
		"{s.Read, 2 * channel, s.Program}",
		"{s.Read, channel, s.Program}",
	},
	{
		"log-merge-read", "sim/cxlssd/log.go",
		"read := p.at <= 0 && lines != ^uint64(0)",
		"read := p.at == 0 && lines != ^uint64(0)",
	},
	{
		"recovery-log-order", "sim/filesys/crash/media.go",
		"for _, h := range [2]int{1 - m.active, m.active} {",
		"for _, h := range [2]int{m.active, 1 - m.active} {",
	},
	{
		"flow-queue-order", "sim/llm/flow/flow.go",
		"b := bits.TrailingZeros64(w)",
		"b := bits.Len64(w) - 1",
	},
	{
		"offload-evicts-twice", "sim/llm/offload/memory.go",
		"short := g.need - (g.room - g.used) - g.leaving;",
		"short := g.need - (g.room - g.used);",
	},

	// Formats.
	{
		"kineto-last-step", "traces/kineto/steps.go",
		"return good[len(good)/2]",
		"return good[len(good)-1]",
	},
	{
		"fault-times-swapped", "traces/g10/times.go",
		"k.Time, k.InputFault, k.Fault = exec[i], inputFault[i], fault[i]",
		"k.Time, k.InputFault, k.Fault = exec[i], fault[i], inputFault[i]",
	},
	{
		"strace-resumed-time", "traces/fscalls/strace.go",
		"d.at = p.since",
		"d.at = max(d.at, p.since)",
	},
	{
		"config-position-padding", "traces/hf/families.go",
		`a.Positions = o.count(2048, "max_position_embeddings") + a.PadOffset`,
		`a.Positions = o.count(2048, "max_position_embeddings")`,
	},

	// The page.
	{
		"redo-after-change", "ui/model/workspace/history.go",
		"w.redo, w.lastEdit = nil, name",
		"w.lastEdit = name",
	},
	{
		"drop-overlay-stays", "public/page.js",
		"      depth = 0;\n      show(false);\n",
		"      depth = 0;\n",
	},

	// Charts.
	{
		"bar-of-unfit", "ui/chart/bars.go",
		"if x, ok := d.needed(r, at[k]); ok {",
		"if x, ok := r.value(at[k]); ok {",
	},
	{
		"tip-head-markup", "public/charts.js",
		"<b>${escape(head)}</b>",
		"<b>${head}</b>",
	},
}
