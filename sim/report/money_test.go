package report

import "testing"

func TestDollars(t *testing.T) {
	for x, want := range map[float64]string{27609.3: "$27,609", 0: "$0", 54: "$54", 45.259: "$45.26", 99.996: "$100", 1234567.5: "$1,234,568", -1500: "−$1,500", 999: "$999"} {
		if got := Dollars(x); got != want {
			t.Errorf("%v is %s, want %s", x, got, want)
		}
	}
	for _, x := range [][3]string{{"27609.3", "$", "$27,609"}, {"27\u202f609", "$", "$27,609"}, {"1.5", "GiB", "1.5 GiB"}, {"12", "", "12"}, {"–", "$", "– $"}} {
		if got := WithUnit(x[0], x[1]); got != x[2] {
			t.Errorf("%s, %s is %s, want %s", x[0], x[1], got, x[2])
		}
	}
}
