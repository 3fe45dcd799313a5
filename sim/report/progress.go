package report

// Progress is told now and then how much of some work is done, in whatever it is counted;
// it may be nil.
type Progress func(done, total int)
