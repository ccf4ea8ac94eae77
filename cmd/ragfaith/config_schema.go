package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// schemaID is where the schema of this page is published.
const schemaID = "https://raw.githubusercontent.com/ragfaith/ragfaith/main/schema/config.schema.json"

func newConfigSchema(sys system) *cobra.Command {
	return &cobra.Command{
		Use:               "schema",
		Short:             "Print the JSON Schema of config files",
		Args:              cobra.NoArgs,
		PersistentPreRunE: begin,
		RunE: func(cmd *cobra.Command, _ []string) error {
			content, err := configSchema(sys)
			if err == nil {
				_, err = cmd.OutOrStdout().Write(content)
			}
			return err
		},
	}
}

// A schema is a JSON Schema, or a part of one.
type schema = map[string]any

// configSchema returns the JSON Schema of a file of settings. What it lets pass
// ragfaith takes, but for what only shows when a run begins.
func configSchema(sys system) ([]byte, error) {
	c := newCatalogue(sys)
	properties := schema{}
	for name, flags := range c.flags {
		var all []any
		for _, f := range flags {
			if s := flagSchema(f); !slices.ContainsFunc(all, func(other any) bool { return reflect.DeepEqual(other, s) }) {
				all = append(all, s)
			}
		}
		properties[name] = all[0]
		if len(all) > 1 {
			properties[name] = schema{"anyOf": all}
		}
	}
	for name, cmd := range c.sections {
		own := schema{}
		for _, f := range flagsOf(cmd) {
			if f.Name != "config" {
				own[f.Name] = flagSchema(f)
			}
		}
		properties[name] = schema{
			"type": []string{"object", "null"}, "additionalProperties": false, "properties": own,
			"description": "Options of \"ragfaith " + name + "\" alone; they override those at the top level.",
		}
	}
	content, err := json.MarshalIndent(schema{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": schemaID,
		"title":       "ragfaith configuration",
		"description": "ragfaith.yaml: each key is the name of a flag and applies to every command that has it.",
		"type":        []string{"object", "null"}, "additionalProperties": false, "properties": properties,
	}, "", "  ")
	return append(content, '\n'), err
}

// flagSchema is what a flag takes in a file.
func flagSchema(f *pflag.Flag) schema {
	s := schema{"description": f.Usage}
	switch v := f.Value.(type) {
	case *choice:
		s["enum"] = literals(v.known)
	case judgeName:
		s["type"], s["minLength"], s["examples"] = "string", 1, judgeNames()
	case proportion:
		s["type"], s["pattern"], s["minimum"], s["maximum"] = []string{"number", "string"}, "^[0-9]+(\\.[0-9]+)?%$", 0, 1
	case fraction:
		s["type"], s["minimum"], s["maximum"] = "number", 0, 1
	case whole:
		s["type"], s["minimum"] = "integer", v.min
	case dollars:
		s["type"], s["minimum"] = "number", 0
	case share:
		s["type"], s["pattern"] = "string", "^[1-9][0-9]*/[1-9][0-9]*$"
	case size:
		s["type"], s["pattern"] = []string{"integer", "string"}, "^[1-9][0-9]*([KkMmGg]?[Ii]?[Bb]|[KkMmGg])?$"
		s["minimum"] = 1
	case span:
		s["type"], s["pattern"] = "string", "^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$"
	case prices:
		s["type"], s["pattern"] = "string", "^[0-9.]+, *[0-9.]+$"
	case pflag.SliceValue:
		shapes := []any{schema{"type": "string"}, schema{"type": "array", "items": schema{"type": "string"}}}
		if takesPairs(f) {
			shapes = append(shapes, schema{"type": "object", "additionalProperties": schema{"type": "string"}})
		}
		s["anyOf"] = shapes
	default:
		s["type"] = typeOf(f)
		if f.Value.Type() == "uint64" {
			s["minimum"] = 0
		}
		if strings.HasSuffix(f.Name, "api-key-env") {
			s["pattern"] = "^([A-Za-z_][A-Za-z0-9_]*)?$"
		}
	}
	if _, list := f.Value.(pflag.SliceValue); !list && f.DefValue != "" {
		s["default"] = literal(f.DefValue, typeOf(f))
	}
	return s
}

// typeOf is the type of JSON that a flag's value has.
func typeOf(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "bool":
		return "boolean"
	case "int", "uint64":
		return "integer"
	case "float", "USD":
		return "number"
	case "stringArray":
		return "array"
	}
	return "string"
}

// literals are words as YAML may have them: 0, 1 and null are no texts there.
func literals(words []string) []any {
	var all []any
	for _, w := range words {
		all = append(all, w)
		var v any
		if json.Unmarshal([]byte(w), &v) == nil {
			all = append(all, v)
		}
	}
	return all
}

// literal is a text as a value of a type.
func literal(text, kind string) any {
	switch kind {
	case "boolean":
		return text == "true"
	case "integer", "number":
		return json.Number(text)
	}
	return text
}

// yamlScalar writes a text so that YAML reads it as what it is.
func yamlScalar(text, kind string) string {
	if kind != "string" || regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./-]*$`).MatchString(text) {
		return text
	}
	return fmt.Sprintf("%q", text)
}
