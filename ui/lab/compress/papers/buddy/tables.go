package buddy

import (
	"spillway/sim/compress"
	"spillway/sim/compress/buddy"
	"spillway/sim/study"
	"spillway/sim/unit"
)

// tables returns the points of Tables 1 and 2, and parameters that the text states.
func tables() []study.Point {
	var list []study.Point
	for _, f := range footprints {
		list = append(list, study.Point{
			Figure: "T1", Of: f.of, Quantity: "footprint_bytes", System: ideal, Set: "contents=" + f.contents,
			Fits: true, Value: f.gb, Unit: "GB", Limit: 0.001,
		})
	}
	for _, x := range parameters() {
		list = append(list, x.point("T2", ""))
	}
	for _, x := range stated {
		list = append(list, x.point(x.figure, x.section))
	}
	return list
}

// point is the parameter as the study knows it, of a run with everything by default.
func (x *parameterRow) point(figure, section string) study.Point {
	p := study.Point{Figure: figure, Of: x.of, At: section, Quantity: x.key, Fits: true, Value: x.value, Unit: x.unit, Limit: 0.001, NotComputed: x.aside}
	if p.NotComputed == "" {
		p.System, p.Set = final, "contents=dl"
	}
	return p
}

// stated are parameters of the design in the text. It states the metadata cache three
// times, and not the same.
var stated = []struct {
	parameterRow
	figure, section string
}{
	{parameterRow{wholeCache, "Metadata cache", 64, "KB", ""}, "5b", "§3.2"},
	{parameterRow{metadataLine, "Line of the metadata cache", 32, "B", ""}, "5b", "§3.2"},
	{parameterRow{cacheSlice, "Metadata cache for each DRAM channel", 4, "KB", ""}, "5b", "§3.5"},
	{parameterRow{threshold, "Buddy Threshold", 30, "%", ""}, "9", "§3.4"},
	{parameterRow{carveOut, "Buddy memory, of GPU memory", 3, "×", ""}, "9", "§3.5"},
	{parameterRow{maxRatio, "Largest ratio of a program", 4, "×", ""}, "9", "§3.5"},
}

// footprints are Table 1.
var footprints = []struct {
	of, contents string
	gb           float64
}{
	{"351.palm", "351-palm", 2.89},
	{"352.ep", "352-ep", 2.75},
	{"354.cg", "354-cg", 1.23},
	{"355.seismic", "355-seismic", 2.83},
	{"356.sp", "356-sp", 2.83},
	{"357.csp", "357-csp", 1.44},
	{"360.ilbdc", "360-ilbdc", 1.94},
	{"370.bt", "370-bt", 0.00121}, // printed in MB
	{"FF_HPGMG-FV", "ff-hpgmg-fv", 2.32},
	{"FF_Lulesh", "ff-lulesh", 1.59},
	{"BigLSTM", "biglstm", 2.71},
	{"AlexNet", "alexnet", 8.85},
	{"Inception_V2", "inception-v2", 3.21},
	{"SqueezeNetv1.1", "squeezenet-v1-1", 2.03},
	{"VGG16", "vgg16", 11.08},
	{"ResNet50", "resnet50", 4.5},
}

// A parameterRow is one of Table 2, with why the laboratory has none.
type parameterRow struct {
	key, of string
	value   float64
	unit    string
	aside   string
}

// The parameters that the laboratory has, and those it has not.
const (
	l2Line, l2Sector         = "l2_line", "l2_sector"
	memoryRate, linkRate     = "memory", "link"
	cacheSlice, metadataLine = "cache", "line"
	wholeCache, threshold    = "whole_cache", "threshold"
	carveOut, maxRatio       = "carve_out", "max_ratio"
	other                    = "other"
)

// l2Slices are those of the L2 cache, each with a slice of the metadata cache.
const l2Slices = 32

// parameters are Table 2.
func parameters() []parameterRow {
	const (
		cores   = "nothing here simulates the GPU's cores: a program's time is that of its memory traffic, and a share that is not bound by it"
		caches  = "nothing here simulates these caches: what counts is the traffic to memory"
		rates   = "only the rate of all channels, or of all bricks, together counts"
		ways    = "hits in the metadata cache follow from how much memory it covers, without conflicts"
		latency = "nothing here has a latency, only rates"
	)
	return []parameterRow{
		{other, "Core clock", 1.3, "GHz", cores},
		{other, "Warp schedulers of an SM", 2, "", cores},
		{other, "Warps of an SM", 64, "", cores},
		{other, "Threads of a warp", 32, "", cores},
		{other, "L1 cache of an SM", 24, "KB", caches},
		{other, "Line of the L1 cache", 128, "B", caches},
		{other, "Scratchpad of an SM", 64, "KB", caches},
		{other, "L2 cache", 4, "MB", caches},
		{other, "Slices of the L2 cache", l2Slices, "", caches},
		{l2Line, "Line of the L2 cache", 128, "B", ""},
		{l2Sector, "Sector of the L2 cache", 32, "B", ""},
		{other, "Ways of the L2 cache", 16, "", caches},
		{other, "HBM2 channels", 32, "", rates},
		{other, "Clock of HBM2", 875, "MHz", rates},
		{memoryRate, "Rate of HBM2", 900, "GB/s", ""},
		{other, "NVLink2 bricks", 6, "", rates},
		{linkRate, "Rate of NVLink2", 150, "GB/s", ""},
		{cacheSlice, "Metadata cache in each slice", 4, "KB", ""},
		{metadataLine, "Line of the metadata cache", 128, "B", ""},
		{other, "Ways of the metadata cache", 4, "", ways},
		{other, "Latency of (de)compression", 11, "DRAM cycles", latency},
	}
}

// parameter returns what a run has for a parameter; ok is false for what
// is none.
func parameter(key string, s *compress.Setup) (value float64, ok bool) {
	switch key {
	case l2Line:
		return buddy.EntryBytes, true // what is compressed together is a line
	case l2Sector:
		return buddy.SectorBytes, true
	case memoryRate:
		return float64(s.Memory) / float64(unit.GBps), true
	case linkRate:
		return float64(s.Link) / float64(unit.GBps), true
	case cacheSlice:
		return float64(s.Cache) / l2Slices / float64(unit.KiB), true
	case wholeCache:
		return float64(s.Cache) / float64(unit.KiB), true
	case metadataLine:
		return float64(s.Line), true
	case threshold:
		return 100 * s.Threshold.Float(), true
	case maxRatio:
		return s.MaxRatio.Float(), true
	case carveOut: // room for all but the slots of that ratio
		return s.MaxRatio.Float() - 1, true
	}
	return 0, false
}
