package exec

import (
	"reflect"
	"slices"
)

// A Known is a job without its ID, and what came of it.
type Known struct {
	Job    Job
	Answer Answer
}

// Learn returns what is known once a job has been done.
func Learn(j *Job, a *Answer) Known {
	k := Known{*j, *a}
	k.Job.ID, k.Answer.ID = 0, 0
	return k
}

// Recall returns the answer to a job if it is known, else nil. Of opened files nothing is.
func Recall(list []Known, j *Job) *Answer {
	if len(list) == 0 || j.Files != 0 {
		return nil
	}
	same := *j
	same.ID = 0
	at := slices.IndexFunc(list, func(k Known) bool { return reflect.DeepEqual(k.Job, same) })
	if at < 0 {
		return nil
	}
	a := list[at].Answer
	a.ID = j.ID
	return &a
}
