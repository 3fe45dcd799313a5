package llm

import (
	"spillway/sim/model"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// part is a share, 0 of nothing.
func part[T ~int64](n, of T) float64 { return float64(n) / float64(max(of, 1)) }

// bytesCell is an amount that moved.
func bytesCell(n unit.Bytes) report.Cell { return report.BytesCell(float64(n)) }

// amount writes bytes that moved.
func amount(n unit.Bytes) string { return prose.Bytes(float64(n)) }

// terabytes writes an endurance.
func terabytes(n unit.Bytes) string { return prose.ThreeDigits(float64(n)/1e12) + " TB" }

// size writes how many parameters a model has: "70.6 billion".
func size(a *model.Arch) string { return billions(a.Parameters()) }

// money writes cents.
func money(cents int64) string {
	return report.Dollars(float64(cents) / 100)
}

// ratio is a quotient, none of nothing.
func ratio(a, b float64) float64 {
	if b == 0 {
		return report.None()
	}
	return a / b
}
