package main

import (
	"reflect"

	"spillway/build/tree"
	"spillway/ui/lab/all"
	"spillway/ui/model/output"
	"spillway/ui/schema"
)

// addSchemas adds the schema of exported results, with a part for each laboratory.
func (s site) addSchemas() error {
	data, err := resultsSchema()
	if err != nil {
		return err
	}
	return tree.Add(s, "schema/"+schema.Results, data)
}

// resultsSchema is the schema of exported results.
func resultsSchema() ([]byte, error) {
	var results []schema.Result
	for _, d := range all.Labs {
		l := d.New()
		results = append(results, schema.Result{Lab: l.Name, Type: reflect.TypeOf(l.Result)})
	}
	return schema.OfResults(output.ResultsFile(), results)
}
