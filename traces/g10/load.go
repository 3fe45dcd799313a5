package g10

import (
	"io/fs"
	"path"

	"spillway/sim/workload"
)

// Load builds the workload of one config file of an unpacked artifact. The name
// is relative to src/configs, like "BERT/256-sim_lru.config"; the paths inside
// are relative to src, where the artifact runs its program.
func Load(artifact fs.FS, name string) (*Config, *workload.Workload, error) {
	data, err := fs.ReadFile(artifact, path.Join("src/configs", name))
	if err != nil {
		return nil, nil, err
	}
	c, err := ParseConfig(name, data)
	if err != nil {
		return nil, nil, err
	}
	w, err := Build(c, func(file string) (string, []byte, error) {
		data, err := fs.ReadFile(artifact, path.Join("src", file))
		return path.Base(file), data, err
	})
	return c, w, err
}
