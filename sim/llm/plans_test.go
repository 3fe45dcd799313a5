package llm

import (
	"reflect"
	"testing"

	"spillway/sim/llm/system"
)

// TestPlansKept: runs that hand on plans are those of each alone, in every number, and in a row of drives only one
// machine's plans are made of each.
func TestPlansKept(t *testing.T) {
	kept := &system.Plans{}
	for _, c := range cases(t)[1:4] {
		for drives := range int64(4) {
			for _, name := range []string{"teraio-mixed", "teraio-ssd", "teraio-mixed"} {
				s := c.setup
				s.Node.Drives = drives
				alone, err := Run(&s, name, true, nil)
				if err != nil {
					t.Fatal(err)
				}
				s.Options.Plans = kept
				s.Node.Prices.Base += drives // what no plan depends on
				got, err := Run(&s, name, true, nil)
				if err != nil {
					t.Fatal(err)
				}
				if got.Reason != alone.Reason || !reflect.DeepEqual(got.Result, alone.Result) || !reflect.DeepEqual(got.Tried, alone.Tried) || !reflect.DeepEqual(got.Plan, alone.Plan) {
					t.Errorf("%s, %d drives, %s: %+v, alone %+v", c.name, drives, name, got.Tried, alone.Tried)
				}
			}
		}
	}
}
