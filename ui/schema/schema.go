// Package schema writes JSON Schemas of what is exported: it follows from the Go
// types, as the files do.
package schema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"spillway/ui/jsontext"
)

// draft is the version of JSON Schema.
const draft = "https://json-schema.org/draft/2020-12/schema"

// Results is the name of the schema of exported results in the site's folder
// "schema/".
const Results = "results-3.json"

// A Schema is one, or a part of one.
type Schema map[string]any

// A Result is what a laboratory writes about a run.
type Result struct {
	Lab  string // name
	Type reflect.Type
}

// OfResults returns the schema of files with results. file is the type of all that
// is no result: its member runs has them under result.
func OfResults(file reflect.Type, results []Result) ([]byte, error) {
	g := generator{defs: Schema{}}
	s := g.object(file)
	s["$schema"], s["$id"] = draft, "urn:spillway:schema:results:3"
	s["title"] = "Spillway results"
	s["description"] = "What the page saves as JSON: all compared systems of one setup. Times and sizes are integers whose names say the unit. Newer programs may add members; what is here keeps its meaning within a version."
	members := s["properties"].(Schema)
	members["format"], members["version"] = Schema{"const": "spillway-results"}, Schema{"const": 3}
	names := []string{}
	for _, r := range results {
		names = append(names, r.Lab)
	}
	members["lab"] = Schema{"enum": names}
	s["allOf"] = g.parts(results, func(r Schema) Schema {
		return Schema{"properties": Schema{"runs": Schema{"type": "array", "items": Schema{"type": "object", "properties": Schema{"result": r}}}}}
	})
	s["$defs"] = g.defs
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}

// parts says for each laboratory what holds of an object that is its own: what has
// makes of the schema of its result.
func (g *generator) parts(results []Result, has func(Schema) Schema) []Schema {
	list := []Schema{}
	for _, r := range results {
		is := Schema{"properties": Schema{"lab": Schema{"const": r.Lab}}}
		list = append(list, Schema{"if": is, "then": has(g.of(r.Type))})
	}
	return list
}

// OfRuns returns the schema of arrays of a type, which of the laboratories in results also
// has a member result.
func OfRuns(id, title, description string, t reflect.Type, results []Result) ([]byte, error) {
	g := generator{defs: Schema{}}
	one := Schema{"allOf": append([]Schema{g.of(t)}, g.parts(results, func(r Schema) Schema {
		return Schema{"properties": Schema{"result": r}, "required": []string{"result"}}
	})...)}
	s := Schema{"type": "array", "items": one}
	s["$schema"], s["$id"], s["title"], s["description"], s["$defs"] = draft, "urn:spillway:schema:"+id, title, description, g.defs
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}

// A generator collects the types that have names.
type generator struct{ defs Schema }

var (
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
)

// of is the schema of a type.
func (g *generator) of(t reflect.Type) Schema {
	switch {
	case t.Implements(jsonMarshaler), t == reflect.TypeFor[jsontext.Raw]():
		return Schema{} // anything
	case t.Implements(textMarshaler):
		return Schema{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Bool:
		return Schema{"type": "boolean"}
	case reflect.String:
		return Schema{"type": "string"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return Schema{"type": "integer"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return Schema{"type": "integer", "minimum": 0}
	case reflect.Float32, reflect.Float64:
		return Schema{"type": "number"}
	case reflect.Slice:
		return Schema{"type": []string{"array", "null"}, "items": g.of(t.Elem())}
	case reflect.Array:
		return Schema{"type": "array", "items": g.of(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Map:
		return Schema{"type": "object", "additionalProperties": g.of(t.Elem())}
	case reflect.Pointer:
		return Schema{"anyOf": []Schema{g.of(t.Elem()), {"type": "null"}}}
	case reflect.Struct:
		return g.named(t)
	}
	panic(fmt.Sprintf("schema: %v is nothing that a file has", t))
}

// named refers to the definition of a struct.
func (g *generator) named(t reflect.Type) Schema {
	name := strings.NewReplacer("/", ".", "[", "-", "]", "", "*", "").Replace(t.String())
	if _, ok := g.defs[name]; !ok {
		g.defs[name] = Schema{} // it may hold itself
		g.defs[name] = g.object(t)
	}
	return Schema{"$ref": "#/$defs/" + name}
}

// object is the schema of a struct.
func (g *generator) object(t reflect.Type) Schema {
	members, required := Schema{}, []string{}
	g.members(t, members, &required)
	return Schema{"type": "object", "properties": members, "required": required}
}

// members adds those of a struct, those of embedded ones too.
func (g *generator) members(t reflect.Type, members Schema, required *[]string) {
	for f := range t.Fields() {
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		if f.Anonymous && name == "" {
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			g.members(inner, members, required)
			continue
		}
		if name == "" {
			name = f.Name
		}
		s := g.of(f.Type)
		if help := f.Tag.Get("help"); help != "" {
			s["description"] = help
		}
		members[name] = s
		if rest != "omitempty" && rest != "omitzero" {
			*required = append(*required, name)
		}
	}
}
