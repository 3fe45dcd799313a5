// Package bytefs is the ByteFS paper (ASPLOS 2025): what it published, beside what the
// model gives.
package bytefs
