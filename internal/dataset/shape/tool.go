package shape

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// A Tool describes the export formats of an evaluation or tracing tool.
type Tool struct {
	Name  string // as in --from
	Title string
	// Signatures lists sets of keys that identify its records: all keys of one set exist.
	// a|b is either key.
	Signatures [][]string
	// Paths lists candidate paths of each field in order of preference. Fields without a
	// match are found by name.
	Paths map[Field][]string
}

//go:embed tools.json
var toolData []byte

// Tools returns the tools whose exports are known, DeepEval first.
//
//nolint:gochecknoglobals // parsed once from embedded data, never changed
var Tools = sync.OnceValue(func() (tools []Tool) {
	if err := json.Unmarshal(toolData, &tools); err != nil {
		panic(err) // the tests read it
	}
	return tools
})

// ContextSeparator returns the separator of contexts in the texts of a table or of a JSON
// record with the given columns, or "" if a text is one context. DeepEval joins contexts in
// tables, and in the JSON records of its goldens.
func ContextSeparator(columns []string, isTable bool) string {
	record := &Value{Kind: Object}
	for _, name := range columns {
		record.Items = append(record.Items, &Value{Name: name})
	}
	if deepEval := &Tools()[0]; deepEval.matches(record) && (isTable || anySignature([][]string{{"source_file|expected_tools|additional_metadata"}}, record)) {
		return "|"
	}
	return ""
}

// matches reports whether a normalized record is an export of the tool.
func (t *Tool) matches(v *Value) bool { return anySignature(t.Signatures, v) }

func anySignature(signatures [][]string, v *Value) bool {
	return slices.ContainsFunc(signatures, func(signature []string) bool {
		return !slices.ContainsFunc(signature, func(names string) bool {
			return !slices.ContainsFunc(strings.Split(names, "|"), func(path string) bool { return v.at(path) != nil })
		})
	})
}
