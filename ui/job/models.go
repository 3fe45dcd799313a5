package job

import "spillway/traces/zoo"

// The bundled workloads are those of package zoo. The page sees them through
// here: it knows no formats and no models, only what can be run.
type (
	// A Model is a bundled training workload.
	Model = zoo.Model
	// A GPU is one that kernel times can be estimated for.
	GPU = zoo.GPU
)

// Models lists the bundled models.
func Models() []Model { return zoo.Models }

// FindModel returns the bundled model with this stable name.
func FindModel(id string) (*Model, error) { return zoo.Find(id) }

// GPUs lists the GPUs that kernel times can be estimated for, the default first.
func GPUs() []GPU { return zoo.GPUs }

// FindGPU returns the GPU with this key.
func FindGPU(key string) (GPU, error) { return zoo.FindGPU(key) }

// Explain says what the kernel times of a bundled model mean.
func Explain(id string) string { return zoo.Explain(id) }
