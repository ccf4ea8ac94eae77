package result_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ragfaith/ragfaith/internal/result"
)

// A schema is a JSON Schema of an object or a list.
type schema struct {
	Ref        string            `json:"$ref"`
	Properties map[string]schema `json:"properties"`
	Items      *schema           `json:"items"`
	Defs       map[string]schema `json:"$defs"`
}

func TestSchemaHasSameFieldsAsRow(t *testing.T) {
	text, err := os.ReadFile("../../schema/result.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var root schema
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	got := make(map[string][]string)
	var collect func(path string, s schema)
	collect = func(path string, s schema) {
		if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
			s = root.Defs[name]
		}
		if s.Items != nil {
			collect(path, *s.Items)
		}
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			got[path] = append(got[path], name)
			collect(path+"/"+name, s.Properties[name])
		}
	}
	collect("", root)
	sorted := cmpopts.SortSlices(func(a, b string) bool { return a < b })
	checkDiff(t, result.FieldNames(), got, sorted)
}
