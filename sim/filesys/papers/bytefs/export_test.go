package bytefs

// What tests outside of the package read.
var (
	Reason   = reason
	Short    = short
	Variants = variants
)

// Name is the variant's name for people.
func (v variant) Name() string { return v.name }
