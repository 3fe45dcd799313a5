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

	// Serving.
	{
		"serve-no-room-to-decode", "sim/serve/tiers.go",
		"tokens += int64(len(r.decode))",
		"tokens += 0",
	},
	{
		"serve-hits-computed-again", "sim/serve/tiers.go",
		"s.done, s.left = hits, total-hits",
		"s.done, s.left = 0, total",
	},
	{
		"serve-context-stands", "sim/serve/replica.go",
		"r.context += k * b\n",
		"r.context += b\n",
	},
	{
		"serve-all-layers-slow", "sim/serve/place.go",
		"rest := s.Model.Layers - s.Layers",
		"rest := s.Model.Layers",
	},

	// Laws and bounds.
	{
		"law-no-tiles", "sim/kerneltime/law.go",
		"return to * math.Ceil(x/to)",
		"return x",
	},
	{
		"law-moved-back", "sim/kerneltime/moved.go",
		"int64(max(t, 0)), int64(is), int64(max(was, 1))",
		"int64(max(t, 0)), int64(was), int64(max(is, 1))",
	},
	{
		"recipe-accumulates-free", "sim/llm/recipe/recipe.go",
		"n := j.Accumulate\n",
		"n := int64(1)\n",
	},
	{
		"recipe-four-bits-bare", "sim/llm/recipe/recipe.go",
		"lin/2 + lin/64 + 4*lin/(64*256)",
		"lin/2",
	},
	{
		"planes-one-bit-less", "sim/compress/bpc/bpc.go",
		"zeroMany = 7 ",
		"zeroMany = 6 ",
	},
	{
		"cause-remainder", "sim/cause/cause.go",
		"if remainders[c]%whole < 0 {",
		"if remainders[c]%whole > 0 {",
	},
	{
		"loss-of-the-other", "sim/prose/prose.go",
		"return 1 - x/y",
		"return y/x - 1",
	},
	{
		"node-on-one-board", "sim/machine/presets.go",
		"c.GPUs, c.Switch, c.Host, c.HostRate = 1, 1, 480*unit.GiB, 512*unit.GBps",
		"c.GPUs, c.Switch, c.Host = 1, 1, 480*unit.GiB",
	},

	// Streams and calls.
	{
		"stream-all-lines", "sim/cxlssd/stream/classes.go",
		"high = low\n",
		"high = \"64\"\n",
	},
	{
		"log-never-full", "sim/filesys/device/log.go",
		"return used+int64(n)*entry <= size",
		"return used <= size",
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
	{
		"tar-sparse-by-pax", "traces/archive/tar.go",
		"return h.Typeflag == tar.TypeGNUSparse",
		"return false",
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
	{
		"cache-unchecked", "public/sw.js",
		"if (btoa(String.fromCharCode(...sum)) !== want) return undefined;",
		"",
	},
	{
		"frame-hears-strangers", "public/embed.js",
		"if (!framed || event.source !== window.parent) return;",
		"if (!framed) return;",
	},
	{
		"link-half-sealed", "ui/model/link/link.go",
		"if !strings.HasPrefix(is, said) {",
		"if strings.HasPrefix(is, said) {",
	},
	{
		"moved-unsaid", "ui/model/workspace/edit.go",
		"k.Key != key && (k.Within == key || k.Key == typed.Within)",
		"k.Key != key && k.Within == key",
	},
	{
		"more-is-less", "ui/model/question/backwards.go",
		"slices.Contains(hardware, lab.Less+k.Key) && y < x:",
		"slices.Contains(hardware, lab.Less+k.Key) && y > x:",
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
