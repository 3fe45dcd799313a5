package kerneltime

import (
	"strings"

	"spillway/sim/unit"
)

// A Rate is operations a second; a product and a sum are two.
type Rate int64

// A Family is GPUs whose kernels are alike: they reach the same shares of their peaks.
type Family uint8

// The families. GA102 is Ampere with GDDR memory, GB202 the same of Blackwell.
const (
	Pascal Family = iota
	Volta
	Turing
	Ampere
	GA102
	Ada
	Hopper
	Blackwell
	GB202
	families
)

// familyNames are the families as people call them.
var familyNames = [families]string{"Pascal", "Volta", "Turing", "Ampere", "Ampere with GDDR", "Ada", "Hopper", "Blackwell", "Blackwell with GDDR"}

// String is the family's name.
func (f Family) String() string { return familyNames[f] }

// A Ground is what a GPU's constants rest on; bands follow from it.
type Ground uint8

// The grounds, from the firmest.
const (
	Measured Ground = iota // on this GPU itself
	Relative               // on another GPU of the family; this one's data sheet
	Limited                // the same, but power decides more than peaks do, and of that two cards are known
	Guessed                // no GPU of the family was measured
)

// String says it as the page does.
func (g Ground) String() string {
	return [...]string{
		"measured on this GPU",
		"transferred from its family by the data sheet",
		"transferred from its family; power limits it, by a rule seen on two cards",
		"no measurement of its family: guessed from its predecessor",
	}[g]
}

// A GPU is a data sheet and what its constants rest on.
type GPU struct {
	Key, Name string
	Family    Family
	Ground    Ground
	// GeForce boosts its clock above the data sheet's and has half of its tensor cores' rate
	// with sums in fp32, which is the rate here.
	GeForce bool
	// FP32, TF32, FP16 and FP8 are dense peaks; fp16's is bfloat16's too. 0 is none.
	FP32, TF32, FP16, FP8 Rate
	Bandwidth             unit.Bandwidth
	Memory                unit.Bytes
	Cache                 unit.Bytes // of level 2
	SMs                   int64      // streaming multiprocessors
	Watts                 int64
	Source                string

	calibration Calibration // of one card, none in the list
}

// HBM reports whether the GPU's memory is stacked; all other is GDDR.
func (g *GPU) HBM() bool {
	switch g.Family {
	case Volta, Ampere, Hopper, Blackwell:
		return true
	case Pascal:
		return g.Key == "p100-pcie" || g.Key == "p100-sxm2"
	}
	return false
}

// Giga is 10^9 operations a second; data sheets count in thousands of it.
const giga Rate = 1e9

// sheet is a row of data sheets: rates in 10^9 operations a second, memory in GiB, cache in
// KiB.
func sheet(key, name string, f Family, ground Ground, fp32, tf32, fp16 Rate, gbps unit.Bandwidth, memory, cache unit.Bytes, sms, watts int64, source string) GPU {
	g := GPU{
		Key: key, Name: name, Family: f, Ground: ground,
		FP32: fp32 * giga, TF32: tf32 * giga, FP16: fp16 * giga,
		Bandwidth: gbps * unit.GBps, Memory: memory * unit.GiB, Cache: cache * unit.KiB, SMs: sms, Watts: watts, Source: source,
		GeForce: strings.HasPrefix(key, "rtx-") && strings.Contains(name, "GeForce"),
	}
	if f >= Ada { // twice the rate of fp16 with sums in fp32
		g.FP8 = 2 * g.FP16
	}
	return g
}

// gpus is the one list of GPUs. Ampere's, Ada's and Blackwell's whitepapers list GeForce's
// rates with sums in fp16 and in fp32; here are those in fp32.
var gpus = []GPU{
	sheet("p100-pcie", "P100 PCIe 16 GB", Pascal, Measured, 9_526, 0, 0, 732, 16, 4096, 56, 250, "NVIDIA P100 data sheet"),
	sheet("p100-sxm2", "P100 SXM2 16 GB", Pascal, Relative, 10_600, 0, 0, 732, 16, 4096, 56, 300, "NVIDIA P100 data sheet"),
	sheet("gtx-1080-ti", "GeForce GTX 1080 Ti", Pascal, Relative, 11_340, 0, 0, 484, 11, 2816, 28, 250, "NVIDIA GeForce GTX 1080 Ti specification"),
	sheet("titan-x-pascal", "Titan X (Pascal)", Pascal, Relative, 10_970, 0, 0, 480, 12, 3072, 28, 250, "NVIDIA Titan X specification"),
	sheet("titan-xp", "Titan Xp", Pascal, Relative, 12_150, 0, 0, 547, 12, 3072, 30, 250, "NVIDIA Titan Xp specification"),

	sheet("v100-sxm2-16", "V100 SXM2 16 GB", Volta, Measured, 15_700, 0, 125_000, 900, 16, 6144, 80, 300, "NVIDIA V100 data sheet"),
	sheet("v100-sxm2-32", "V100 SXM2 32 GB", Volta, Measured, 15_700, 0, 125_000, 900, 32, 6144, 80, 300, "NVIDIA V100 data sheet"),
	sheet("v100-sxm3-32", "V100 SXM3 32 GB", Volta, Measured, 15_700, 0, 125_000, 981, 32, 6144, 80, 350, "NVIDIA DGX-2 data sheet"),
	sheet("v100-pcie-16", "V100 PCIe 16 GB", Volta, Measured, 14_100, 0, 112_000, 900, 16, 6144, 80, 250, "NVIDIA V100 data sheet"),
	sheet("v100-pcie-32", "V100 PCIe 32 GB", Volta, Measured, 14_100, 0, 112_000, 900, 32, 6144, 80, 250, "NVIDIA V100 data sheet"),
	sheet("titan-v", "Titan V", Volta, Relative, 14_900, 0, 110_000, 653, 12, 4608, 80, 250, "NVIDIA Titan V specification"),

	sheet("t4", "T4", Turing, Limited, 8_100, 0, 65_000, 320, 16, 4096, 40, 70, "NVIDIA T4 data sheet"),
	sheet("rtx-2080-ti", "GeForce RTX 2080 Ti", Turing, Relative, 13_450, 0, 53_800, 616, 11, 5632, 68, 250, "NVIDIA Turing architecture whitepaper"),
	sheet("titan-rtx", "Titan RTX", Turing, Relative, 16_300, 0, 130_500, 672, 24, 6144, 72, 280, "NVIDIA Turing architecture whitepaper"),
	sheet("rtx-6000", "Quadro RTX 6000", Turing, Relative, 16_300, 0, 130_500, 672, 24, 6144, 72, 260, "NVIDIA Turing architecture whitepaper"),
	sheet("rtx-8000", "Quadro RTX 8000", Turing, Relative, 16_300, 0, 130_500, 672, 48, 6144, 72, 260, "NVIDIA Turing architecture whitepaper"),

	sheet("a100-sxm-40", "A100 SXM 40 GB", Ampere, Measured, 19_500, 156_000, 312_000, 1555, 40, 40960, 108, 400, "NVIDIA A100 data sheet"),
	sheet("a100-sxm-80", "A100 SXM 80 GB", Ampere, Measured, 19_500, 156_000, 312_000, 2039, 80, 40960, 108, 400, "NVIDIA A100 data sheet"),
	sheet("a100-pcie-40", "A100 PCIe 40 GB", Ampere, Measured, 19_500, 156_000, 312_000, 1555, 40, 40960, 108, 250, "NVIDIA A100 data sheet"),
	sheet("a100-pcie-80", "A100 PCIe 80 GB", Ampere, Measured, 19_500, 156_000, 312_000, 1935, 80, 40960, 108, 300, "NVIDIA A100 data sheet"),
	sheet("a30", "A30", Ampere, Relative, 10_300, 82_000, 165_000, 933, 24, 24576, 56, 165, "NVIDIA A30 data sheet"),

	sheet("rtx-3060", "GeForce RTX 3060", GA102, Relative, 12_700, 12_700, 25_500, 360, 12, 3072, 28, 170, "NVIDIA GA102 architecture whitepaper, by shaders and clock"),
	sheet("rtx-3060-ti", "GeForce RTX 3060 Ti", GA102, Relative, 16_200, 16_200, 32_400, 448, 8, 4096, 38, 200, "NVIDIA GA102 architecture whitepaper, by shaders and clock"),
	sheet("rtx-3070", "GeForce RTX 3070", GA102, Relative, 20_300, 20_300, 40_600, 448, 8, 4096, 46, 220, "NVIDIA GA102 architecture whitepaper"),
	sheet("rtx-3080", "GeForce RTX 3080", GA102, Relative, 29_800, 29_800, 59_500, 760, 10, 5120, 68, 320, "NVIDIA GA102 architecture whitepaper"),
	sheet("rtx-3080-ti", "GeForce RTX 3080 Ti", GA102, Relative, 34_100, 34_100, 68_200, 912, 12, 6144, 80, 350, "NVIDIA GA102 architecture whitepaper, by shaders and clock"),
	sheet("rtx-3090", "GeForce RTX 3090", GA102, Measured, 35_600, 35_600, 71_200, 936, 24, 6144, 82, 350, "NVIDIA GA102 architecture whitepaper"),
	sheet("rtx-3090-ti", "GeForce RTX 3090 Ti", GA102, Relative, 40_000, 40_000, 80_000, 1008, 24, 6144, 84, 450, "NVIDIA GeForce RTX 3090 Ti specification"),
	sheet("a10", "A10", GA102, Relative, 31_200, 62_500, 125_000, 600, 24, 6144, 72, 150, "NVIDIA A10 data sheet"),
	sheet("a10g", "A10G", GA102, Relative, 31_520, 35_000, 70_000, 600, 24, 6144, 80, 300, "NVIDIA A10G data sheet (AWS G5)"),
	sheet("a40", "A40", GA102, Relative, 37_400, 74_800, 149_700, 696, 48, 6144, 84, 300, "NVIDIA A40 data sheet"),
	sheet("rtx-a4000", "RTX A4000", GA102, Relative, 19_200, 38_300, 76_700, 448, 16, 4096, 48, 140, "NVIDIA RTX A4000 data sheet"),
	sheet("rtx-a5000", "RTX A5000", GA102, Relative, 27_800, 55_600, 111_100, 768, 24, 6144, 64, 230, "NVIDIA RTX A5000 data sheet"),
	sheet("rtx-a6000", "RTX A6000", GA102, Relative, 38_700, 77_400, 154_800, 768, 48, 6144, 84, 300, "NVIDIA RTX A6000 data sheet"),

	sheet("rtx-4060-ti", "GeForce RTX 4060 Ti", Ada, Relative, 22_060, 22_060, 44_100, 288, 16, 32768, 34, 160, "NVIDIA Ada architecture whitepaper, by shaders and clock"),
	sheet("rtx-4070", "GeForce RTX 4070", Ada, Relative, 29_150, 29_150, 58_300, 504, 12, 36864, 46, 200, "NVIDIA Ada architecture whitepaper, by shaders and clock"),
	sheet("rtx-4080", "GeForce RTX 4080", Ada, Relative, 48_700, 48_700, 97_500, 716, 16, 65536, 76, 320, "NVIDIA Ada architecture whitepaper"),
	sheet("rtx-4090", "GeForce RTX 4090", Ada, Measured, 82_600, 82_600, 165_200, 1008, 24, 73728, 128, 450, "NVIDIA Ada architecture whitepaper"),
	sheet("l4", "L4", Ada, Limited, 30_300, 60_500, 121_000, 300, 24, 49152, 58, 72, "NVIDIA L4 data sheet"),
	sheet("l40", "L40", Ada, Relative, 90_500, 90_500, 181_000, 864, 48, 98304, 142, 300, "NVIDIA L40 data sheet"),
	sheet("l40s", "L40S", Ada, Limited, 91_600, 183_000, 362_000, 864, 48, 98304, 142, 350, "NVIDIA L40S data sheet"),
	sheet("rtx-6000-ada", "RTX 6000 Ada", Ada, Limited, 91_100, 182_000, 364_000, 960, 48, 98304, 142, 300, "NVIDIA RTX 6000 Ada data sheet"),

	sheet("h100-sxm", "H100 SXM 80 GB", Hopper, Measured, 66_900, 494_700, 989_400, 3350, 80, 51200, 132, 700, "NVIDIA H100 data sheet"),
	sheet("h100-pcie", "H100 PCIe 80 GB", Hopper, Relative, 51_200, 378_000, 756_000, 2039, 80, 51200, 114, 350, "NVIDIA H100 data sheet"),
	sheet("h100-nvl", "H100 NVL 94 GB", Hopper, Relative, 60_000, 417_500, 835_500, 3938, 94, 51200, 132, 400, "NVIDIA H100 data sheet"),
	sheet("h200", "H200 SXM 141 GB", Hopper, Relative, 66_900, 494_700, 989_400, 4800, 141, 51200, 132, 700, "NVIDIA H200 data sheet"),
	sheet("h200-nvl", "H200 NVL 141 GB", Hopper, Relative, 60_000, 417_500, 835_500, 4800, 141, 51200, 132, 600, "NVIDIA H200 data sheet"),
	sheet("gh200", "GH200 96 GB", Hopper, Relative, 66_900, 494_700, 989_400, 4000, 96, 51200, 132, 700, "NVIDIA GH200 data sheet"),
	sheet("h20", "H20", Hopper, Relative, 44_000, 74_000, 148_000, 4000, 96, 61440, 78, 400, "NVIDIA H20 data sheet, recalled"),

	sheet("b200", "B200 SXM 180 GB", Blackwell, Guessed, 75_000, 1_125_000, 2_250_000, 8000, 180, 129024, 148, 1000, "NVIDIA Blackwell data sheet, recalled"),

	sheet("rtx-5060-ti", "GeForce RTX 5060 Ti 16 GB", GB202, Relative, 23_700, 23_700, 47_400, 448, 16, 32768, 36, 180, "NVIDIA GeForce RTX 5060 Ti specification, by shaders and clock"),
	sheet("rtx-5080", "GeForce RTX 5080", GB202, Relative, 56_300, 56_300, 112_600, 960, 16, 65536, 84, 360, "NVIDIA RTX Blackwell architecture whitepaper, recalled"),
	sheet("rtx-5090", "GeForce RTX 5090", GB202, Relative, 104_800, 104_800, 209_500, 1792, 32, 98304, 170, 575, "NVIDIA RTX Blackwell architecture whitepaper, recalled"),
	sheet("pro-6000", "RTX PRO 6000 Blackwell", GB202, Limited, 125_000, 252_000, 503_800, 1792, 96, 131072, 188, 600, "NVIDIA RTX PRO 6000 data sheet, recalled"),
	sheet("pro-6000-maxq", "RTX PRO 6000 Blackwell Max-Q", GB202, Limited, 110_000, 220_000, 438_000, 1792, 96, 131072, 188, 300, "NVIDIA RTX PRO 6000 Max-Q data sheet, recalled"),
}

// GPUs lists the GPUs, by family and size.
func GPUs() []GPU { return append([]GPU(nil), gpus...) }

// aliases are names that leave something open, with what is meant.
var aliases = map[string]string{
	"p100": "p100-pcie", "p100sxm": "p100-sxm2",
	"v100": "v100-sxm2-32", "v10016": "v100-sxm2-16", "v10032": "v100-sxm2-32", "v100sxm": "v100-sxm2-32", "v100sxm2": "v100-sxm2-32",
	"v100sxm16": "v100-sxm2-16", "v100sxm32": "v100-sxm2-32", "v100pcie": "v100-pcie-16",
	"a100": "a100-sxm-80", "a10040": "a100-sxm-40", "a100pg509200": "a100-sxm-40", "a100pg509210": "a100-sxm-80", "a10080": "a100-sxm-80", "a100sxm": "a100-sxm-80", "a10040sxm": "a100-sxm-40", "a10080sxm": "a100-sxm-80",
	"a100pcie": "a100-pcie-40", "a10040pcie": "a100-pcie-40", "a10080pcie": "a100-pcie-80",
	"h100": "h100-sxm", "h10080": "h100-sxm", "h10080sxm": "h100-sxm", "h10080pcie": "h100-pcie", "h10094nvl": "h100-nvl",
	"h200sxm": "h200", "gh20096": "gh200", "b200sxm": "b200", "titanx": "titan-x-pascal", "pascaltitanx": "titan-x-pascal", "1080ti": "gtx-1080-ti", "rtx1080ti": "gtx-1080-ti",
	"a4000": "rtx-a4000", "a5000": "rtx-a5000", "a6000": "rtx-a6000", "6000ada": "rtx-6000-ada", "rtxa6000ada": "rtx-6000-ada", "a6000ada": "rtx-6000-ada",
	"quadrortx6000": "rtx-6000", "quadrortx8000": "rtx-8000",
	"rtxpro6000": "pro-6000", "rtxpro6000maxq": "pro-6000-maxq", "pro6000blackwell": "pro-6000", "rtxpro6000blackwell": "pro-6000",
	"pro6000blackwellmaxq": "pro-6000-maxq", "rtxpro6000blackwellmaxq": "pro-6000-maxq",
}

// noise are parts of names that say nothing that the rest does not.
var noise = strings.NewReplacer("nvidia", "", "geforce", "", "tesla", "", "-", "", "_", "", " ", "", "(", "", ")", "",
	"sxm4", "sxm", "sxm5", "sxm", "sxm6", "sxm", "hbm2e", "", "hbm3e", "", "hbm3", "", "gib", "", "gb", "", "edition", "", "generation", "", "workstation", "")

// Find returns the GPU of a key or of another usual way to write it, nil where there is none.
func Find(name string) *GPU {
	word := noise.Replace(strings.ToLower(name))
	if g := find(word); g != nil {
		return g
	}
	if short := strings.TrimRight(word, "0123456789"); len(word)-len(short) <= 3 { // its memory, which says nothing new
		return find(short)
	}
	return nil
}

// find is the GPU of a word without noise.
func find(word string) *GPU {
	key := aliases[word]
	geforce := word
	if len(word) >= 4 && '2' <= word[0] && word[0] <= '5' { // 3090, 4060ti
		geforce = "rtx" + word
	}
	for i := range gpus {
		k := gpus[i].Key
		if plain := noise.Replace(k); k == key || plain == word || plain == geforce {
			return &gpus[i]
		}
	}
	return nil
}
