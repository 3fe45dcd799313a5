package bytefs

// What tests outside of the package read.
var (
	Reason   = reason
	Short    = short
	Variants = variants
)

// The columns of text that documents have.
const Like = "like for like"
