package eager

import (
	"fmt"
	"strings"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// An optimizer updates parameters, one by one, as those of PyTorch 1.8 do.
type optimizer struct {
	key, kernel string
	states      []string
	// passes is how often the kernels that PyTorch runs read or write as many numbers as
	// the parameter has; here they are one kernel.
	passes int64
	// temporary: the arithmetic needs one more tensor of the parameter's size.
	temporary bool
}

var optimizers = []optimizer{
	// add_(grad): three passes.
	{"sgd", "sgd_step", nil, 3, false},
	// grad.add(weight), buffer.mul_, buffer.add_, weight.add_: 3 + 2 + 3 + 3.
	{"momentum", "momentum_step", []string{"momentum"}, 11, true},
	// mul_, add_, mul_, addcmul_, sqrt, div, add_, addcdiv_: 2 + 3 + 2 + 3 + 2 + 2 + 2 + 4.
	{"adam", "adam_step", []string{"exp_avg", "exp_avg_sq"}, 20, true},
}

func findOptimizer(key string) (optimizer, error) {
	known := make([]string, len(optimizers))
	for i, o := range optimizers {
		if o.key == key {
			return o, nil
		}
		known[i] = o.key
	}
	return optimizer{}, fmt.Errorf("unknown optimizer %q; take one of %s", key, strings.Join(known, ", "))
}

// zero clears the gradients.
func (t *tape) zero(params []*param) {
	for _, p := range params {
		if p.rows == nil {
			t.as(kerneltime.Copy, "zero_grad", nil, ids(p.sum))
		}
	}
}

// step updates parameters.
func (t *tape) step(o optimizer, params []*param) {
	for _, p := range params {
		if p.rows != nil {
			t.update(p)
			continue
		}
		in, out := ids(p.id, p.sum), ids(p.id)
		size := unit.Bytes(p.n) * element
		for _, s := range o.states {
			id := t.global(p.name+"."+s, workload.Optimizer, size)
			in, out = append(in, id), append(out, id)
		}
		if o.temporary {
			out = append(out, t.tensor(p.name+".step", workload.Workspace, size))
		}
		t.kernel(o.kernel, cost{bytes: unit.Bytes(o.passes) * size}.is(kerneltime.Optimizer), in, out)
	}
}
