package g10

import "spillway/sim/study"

// Tolerance is the relative difference up to which a point agrees with measured
// kernel times, Rebuilt that for bundled workloads: their networks are rebuilt
// and their kernel times come from a model of the paper's profile. Up to
// ClaimTolerance a claim is near.
const (
	Tolerance      = 0.005
	Rebuilt        = 0.25
	ClaimTolerance = 0.01
)

// Paper returns the G10 paper. Every call reads the tables again.
func Paper() *study.Paper {
	all := All()
	p := &study.Paper{
		Key: "g10", Short: "G10 (MICRO 2023)",
		Title:   "G10: Enabling An Efficient Unified GPU Memory and Storage Architecture with Smart Tensor Migrations",
		About:   "Figures 2 to 4 and 11 to 19 and the numbers in the text, computed here and compared with the published values.",
		Remark:  "The published numbers are those of the authors' simulator with its accidents, so everything here runs as published.",
		Systems: Systems, Names: names,
		Figures: figures(all), Claims: claims(all),
		Sums:      [][]string{{"compute", "overlap", "stall"}, {"ssd_in", "ssd_out", "host_in", "host_out"}},
		Tolerance: Tolerance, Rebuilt: Rebuilt, ClaimTolerance: ClaimTolerance,
		Standing:  "reconstruction: modelled kernel times",
		Originals: "For exact numbers drop the G10 artifact on this page: its zip, its folder, or the files of one network. They stay on this computer.",
		// Bundled kernel times are fitted to the artifact's, of which these are sums.
		Fitted: func(x *study.Point) bool { return x.System == Bound || x.Quantity == "compute" },
		Cannot: "does not fit",
		Why:    why,
	}
	p.Points = make([]study.Point, len(all))
	for i := range all {
		p.Points[i] = all[i].Point
	}
	return p
}

// of returns the points of a figure.
func of(all []Point, figure string) []Point {
	var points []Point
	for i := range all {
		if all[i].Figure == figure {
			points = append(points, all[i])
		}
	}
	return points
}
