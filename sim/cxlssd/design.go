package cxlssd

// A Promotion says which pages of the device's cache move to host DRAM.
type Promotion uint8

// The ways to promote.
const (
	NoPromotion Promotion = iota
	Adaptive              // SkyByte's, after so many hits as the adaptive threshold says
	TPP                   // by sampling, as TPP
	AstriFlash            // adaptive into 8-way host DRAM, as the artifact has AstriFlash-CXL
	OnMiss                // a missed page goes to host DRAM at its first hit when it is there, as AstriFlash itself takes in every page
	Written               // as a policy says that somebody wrote
)

// A Design is which of the mechanisms are there.
type Design struct {
	Log     bool // W: cacheline write log
	Switch  bool // C: device-triggered context switch
	Promote Promotion
	DRAM    bool // all pages are in DRAM
	Own     bool // the setup's own mechanisms (Setup.Own) stand in for these
	Written bool // and what somebody wrote (Setup.Script) for those
}

// A System is a design with a name.
type System struct {
	Name, Title, About string
	Design
	Base bool // what the paper's designs are added to
	Off  bool // not compared at first
	Main bool // in focus at first
	Look int  // color and pattern in charts, another for each
}

// OwnDesign is the name of the design with the setup's own mechanisms.
const OwnDesign = "own-design"

// Systems are the designs that are compared, one line each: those of the paper's §5 and
// §6 (SkyByte, HPCA 2025), and the setup's own.
var Systems = []System{
	{Name: "dram-only", Title: "DRAM-only", About: "All memory is DRAM, with as many threads as cores: designs that have more threads can be faster.", Design: Design{DRAM: true}},
	{Name: "base-cssd", Title: "Base-CSSD", About: "A CXL-SSD with a page cache in its DRAM.", Base: true, Look: 1},
	{Name: "skybyte-p", Title: "SkyByte-P", About: "Base-CSSD that promotes hot pages to host DRAM.", Design: Design{Promote: Adaptive}, Look: 2},
	{Name: "skybyte-c", Title: "SkyByte-C", About: "Base-CSSD where a long read switches threads.", Design: Design{Switch: true}, Look: 3},
	{Name: "skybyte-w", Title: "SkyByte-W", About: "Base-CSSD with a write log of cache lines.", Design: Design{Log: true}, Look: 4},
	{Name: "skybyte-cp", Title: "SkyByte-CP", About: "Switches threads and promotes pages.", Design: Design{Switch: true, Promote: Adaptive}, Look: 5},
	{Name: "skybyte-wp", Title: "SkyByte-WP", About: "Logs writes and promotes pages.", Design: Design{Log: true, Promote: Adaptive}, Look: 6},
	{Name: "skybyte-full", Title: "SkyByte-Full", About: "Logs writes, switches threads and promotes pages.", Design: Design{Log: true, Switch: true, Promote: Adaptive}, Look: 7, Main: true},
	{Name: "skybyte-ct", Title: "SkyByte-CT", About: "Switches threads and promotes pages by sampling, as TPP does.", Design: Design{Switch: true, Promote: TPP}, Look: 8, Off: true},
	{Name: "skybyte-wct", Title: "SkyByte-WCT", About: "SkyByte-CT with a write log.", Design: Design{Log: true, Switch: true, Promote: TPP}, Look: 9, Off: true},
	{Name: "astriflash-cxl", Title: "AstriFlash-CXL", About: "Host DRAM is an 8-way cache of pages, and a miss switches threads.", Design: Design{Switch: true, Promote: AstriFlash}, Look: 11, Off: true},
	{Name: OwnDesign, Title: "Own design", About: "The mechanisms that are chosen under Device.", Design: Design{Own: true}, Look: 12, Off: true},
}
