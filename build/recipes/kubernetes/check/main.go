// Command check holds the Kubernetes manifests to the types of Kubernetes' own API,
// and then does what a cluster would do with them: it runs every pod's command on
// this machine, with the environment and the index that the pod would have, and
// compares what comes out with what one process prints. It is a module of its own,
// so that nothing else needs these packages.
//
//	check BINARY sweep.yaml merge.yaml
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: check BINARY sweep.yaml merge.yaml")
		os.Exit(2)
	}
	if err := check(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
		os.Exit(1)
	}
}

// check reads and runs both manifests.
func check(binary, sweepFile, mergeFile string) error {
	sweep, err := read(sweepFile)
	if err != nil {
		return err
	}
	merge, err := read(mergeFile)
	if err != nil {
		return err
	}
	if err := indexed(sweep); err != nil {
		return fmt.Errorf("%s: %w", sweepFile, err)
	}
	if a, b := claim(sweep), claim(merge); a == "" || a != b {
		return fmt.Errorf("the claims %q and %q; want one for both", a, b)
	}
	work, err := os.MkdirTemp("", "")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := install(binary, work); err != nil {
		return err
	}
	// Pods end in any order, and a node that is lost makes one run twice.
	order := []int{}
	for i := range int(*sweep.Spec.Completions) {
		order = append(order, i)
	}
	slices.Reverse(order)
	for _, i := range append(order, 0) {
		if err := pod(sweep, work, "JOB_COMPLETION_INDEX="+strconv.Itoa(i)); err != nil {
			return err
		}
	}
	if err := pod(merge, work); err != nil {
		return err
	}
	merged, err := os.ReadFile(filepath.Join(work, "parts", "sweep.csv"))
	if err != nil {
		return err
	}
	whole := exec.Command(binary, slices.Concat([]string{"sweep"}, container(sweep).Args, []string{"--csv"})...)
	want, err := whole.Output()
	if err != nil {
		return err
	}
	if !bytes.Equal(merged, want) {
		return errors.New("the merged parts are not what one process prints")
	}
	fmt.Printf("Kubernetes: both manifests are as the API's types are; %d runs in %d parts, merged: the bytes of one process\n", bytes.Count(want, []byte("\n"))-1, *sweep.Spec.Completions)
	return nil
}

// read reads a manifest; a field that Kubernetes does not have is an error.
func read(file string) (*batch.Job, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var job batch.Job
	if err := yaml.UnmarshalStrict(data, &job); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	pod := job.Spec.Template.Spec
	switch {
	case job.APIVersion != "batch/v1" || job.Kind != "Job" || job.Name == "":
		err = fmt.Errorf("%s %s %q; want a batch/v1 Job with a name", job.APIVersion, job.Kind, job.Name)
	case len(pod.Containers) != 1:
		err = fmt.Errorf("%d containers; want 1", len(pod.Containers))
	case pod.RestartPolicy != core.RestartPolicyNever && pod.RestartPolicy != core.RestartPolicyOnFailure:
		err = fmt.Errorf("restartPolicy %q; a job has Never or OnFailure", pod.RestartPolicy)
	}
	if err == nil {
		err = mounts(&pod)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &job, nil
}

// mounts checks that what is mounted is there.
func mounts(pod *core.PodSpec) error {
	for _, m := range pod.Containers[0].VolumeMounts {
		if !slices.ContainsFunc(pod.Volumes, func(v core.Volume) bool { return v.Name == m.Name }) {
			return fmt.Errorf("there is no volume %q", m.Name)
		}
	}
	if len(pod.Containers[0].VolumeMounts) != 1 {
		return errors.New("want one volume, for the parts")
	}
	return nil
}

// indexed checks that the job counts its pods, and that every pod knows how many
// parts there are.
func indexed(job *batch.Job) error {
	s := &job.Spec
	if s.CompletionMode == nil || *s.CompletionMode != batch.IndexedCompletion || s.Completions == nil || *s.Completions < 2 {
		return errors.New("want completionMode: Indexed with two completions or more")
	}
	if s.Parallelism == nil || *s.Parallelism > *s.Completions {
		return errors.New("parallelism is more than completions, or is 1 by default")
	}
	c := container(job)
	if text := strings.Join(c.Command, " "); !strings.Contains(text, "JOB_COMPLETION_INDEX") {
		return errors.New("the command does not use JOB_COMPLETION_INDEX, so that all pods do the same")
	}
	want := strconv.Itoa(int(*s.Completions))
	if !slices.ContainsFunc(c.Env, func(e core.EnvVar) bool { return e.Name == "SHARDS" && e.Value == want }) {
		return fmt.Errorf("SHARDS is not the number of completions, %s", want)
	}
	return nil
}

func container(job *batch.Job) *core.Container { return &job.Spec.Template.Spec.Containers[0] }

// claim is the name of the claim that the job's volume is from.
func claim(job *batch.Job) string {
	for _, v := range job.Spec.Template.Spec.Volumes {
		if v.PersistentVolumeClaim != nil {
			return v.PersistentVolumeClaim.ClaimName
		}
	}
	return ""
}

// install puts the binary where the image would have it.
func install(binary, work string) error {
	full, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	for _, folder := range []string{"bin", "parts"} {
		if err := os.Mkdir(filepath.Join(work, folder), 0o777); err != nil {
			return err
		}
	}
	return os.Symlink(full, filepath.Join(work, "bin", "spillway"))
}

// pod runs the job's container as a pod would, with the volume in a folder of work.
func pod(job *batch.Job, work string, env ...string) error {
	c := container(job)
	mount := c.VolumeMounts[0].MountPath
	for _, e := range c.Env {
		env = append(env, e.Name+"="+e.Value)
	}
	expand := func(text string) string { // as Kubernetes does with $(NAME) in commands and arguments
		for _, e := range env {
			name, value, _ := strings.Cut(e, "=")
			text = strings.ReplaceAll(text, "$("+name+")", value)
		}
		return strings.ReplaceAll(text, mount, filepath.Join(work, "parts"))
	}
	var words []string
	for _, word := range slices.Concat(c.Command, c.Args) {
		words = append(words, expand(word))
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append([]string{"PATH=" + filepath.Join(work, "bin") + ":" + os.Getenv("PATH")}, env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %v: %w\n%s", job.Name, env, err, out)
	}
	return nil
}
