package report

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/result/resulttest"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// schema compiles a JSON Schema and checks its id.
func schema(t *testing.T, name, id string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	s, err := c.Compile("../../schema/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if s.ID != id+"#" && s.ID != id && !strings.HasPrefix(s.Location, id) {
		t.Errorf("%s: got id %q at %q, want %q", name, s.ID, s.Location, id)
	}
	return s
}

// validate checks that text is JSON that matches a schema, and returns its value.
func validate(t *testing.T, s *jsonschema.Schema, text string) any {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(doc); err != nil {
		t.Errorf("got %v for %s", err, text)
	}
	return doc
}

func TestResultsMatchSchema(t *testing.T) {
	s := schema(t, "result.schema.json", strings.Replace(SummarySchema, "summary", "result", 1))
	for line := range strings.Lines(write(t, FormatJSONL, Options{}, append(resulttest.WithKeptColumns(), hostileFailure())...)) {
		validate(t, s, line)
	}
	valid := write(t, FormatJSONL, Options{}, resulttest.WithOptionalFields())
	for _, change := range [][2]string{
		{`"status":"scored"`, `"status":"failed"`},
		{`"verdict":"supported"`, `"verdict":"true"`},
		{`"index":10`, `"index":-1`},
		{`"support":0.4`, `"support":4`},
		{`"quote":"Ulm"`, `"quot":"Ulm"`},
		{`"error":null,`, ``},
		{`"start":13`, `"start":null`},
		{`"chunk_ids":[0,1]`, `"chunk_ids":["0"]`},
		{`"cached_from"`, `"cached_by"`},
		{`"faithfulness":0`, `"faithfulness":NaN,"x":0`},
	} {
		edited := strings.Replace(valid, change[0], change[1], 1)
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(edited))
		if edited == valid || err == nil && s.Validate(doc) == nil {
			t.Errorf("%s: got no error", change[1])
		}
	}
}

// summaryOf returns the summary of rows.
func summaryOf(t *Tally, gates []Gate, rows ...*result.Row) *Summary {
	return feed(t, rows...).Summary(feed(new(Supports), rows...), gates)
}

func TestSummaryMatchesSchema(t *testing.T) {
	s := schema(t, "summary.schema.json", SummarySchema)
	rows := []*result.Row{resulttest.Scored(), resulttest.NoClaims(), resulttest.JudgeFailed(), resulttest.WithOptionalFields()}
	full := summaryOf(someTally(), someGates(), rows...)
	full.Datasets, full.ExitCode = []string{"a <b>.jsonl"}, 4
	full.Settings = result.Settings{{Name: "--claims", Value: "sentence"}, {Name: "--judge", Value: "x"}, {Name: "--evidence", Value: "chunks"}, {Name: "--threshold", Value: "0.5"}}
	full.Spent = &SummarySpent{USD: math.NaN(), Downgrades: []SummaryDowngrade{{"json_schema", "json_object", 400}, {"json_object", "prompt", 0}}}
	empty := summaryOf(new(Tally), nil)
	grouped := summaryOf(NewTally("", []string{"c"}, 3), nil, resulttest.WithCitations(), valued(0, 1, 2, `"a"`), valued(1, 1, 1, "null"), valued(2, 0, 1, `"a"`))
	for i, summary := range []*Summary{full, empty, grouped} {
		summary.Ragfaith, summary.Settings = "ragfaith 1", full.Settings
		text, err := summary.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			golden(t, "summary.json", string(text))
		}
		read, err := ReadSummary(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		again, err := read.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		checkDiff(t, string(text), string(again))
		doc := validate(t, s, string(text))
		object, _ := doc.(map[string]any)
		for _, name := range []string{"rows", "means", "gates", "passed", "spent", "settings"} {
			value := object[name]
			delete(object, name)
			if s.Validate(doc) == nil {
				t.Errorf("without %s: got no error", name)
			}
			object[name] = value
		}
		object["key"] = "secret"
		if s.Validate(doc) == nil {
			t.Error("unknown member: got no error")
		}
	}
	if !empty.Passed || full.Passed {
		t.Errorf("got passed %v without gates and %v with a failed gate, want true and false", empty.Passed, full.Passed)
	}
}

func TestSupportsMatchSummary(t *testing.T) {
	var h Supports
	var s stats.Summary
	for _, x := range []float64{0.25, 0.123456, 0.25, 1, 0} {
		_ = h.Write(&result.Row{Support: x})
		s.Add(x)
	}
	_ = h.Write(&result.Row{Support: math.NaN()})
	checkDiff(t, newSummaryStats(&s), h.stats())
	var clamped Supports
	for _, x := range []float64{-0.5, 1.5, 1} {
		_ = clamped.Write(&result.Row{Support: x})
	}
	if f := clamped.stats(); f.Min != 0 || f.Max != 1 || f.Count != 3 {
		t.Errorf("got %+v, want 3 scores from 0 to 1", f)
	}
}

func TestJSONHasNullForNaN(t *testing.T) {
	got, err := EncodeJSON([]float64{1, math.NaN(), 1e-7})
	if want := "[\n  1.0,\n  null,\n  0.0000001\n]\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	var back []float64
	if err := DecodeJSON(bytes.NewReader(got), &back); err != nil || len(back) != 3 || back[0] != 1 || !math.IsNaN(back[1]) {
		t.Errorf("got %v, %v, want the same numbers", back, err)
	}
}

// The estimated flag is written to results and summaries and read back.
func TestEstimatedUsageRoundTrip(t *testing.T) {
	r := resulttest.Scored()
	r.Usage.Estimated = true
	text := write(t, FormatJSONL, Options{}, r, resulttest.NoClaims())
	if strings.Count(text, `,"estimated":true}`) != 1 || strings.Count(text, "estimated") != 1 {
		t.Errorf("got %s, want estimated once", text)
	}
	got := read(t, text)
	if len(got) != 2 || !got[0].Usage.Estimated || got[1].Usage.Estimated {
		t.Fatalf("got %+v, want two rows of which the first is estimated", got)
	}
	s := summaryOf(someTally(), nil, got[1], got[0], got[1])
	s.Ragfaith, s.Datasets, s.Settings = "ragfaith 1", []string{"-"}, result.Settings{}
	s.Spent = &SummarySpent{Usage: s.Usage, USD: math.NaN(), PromptLimit: 2048}
	summary, err := s.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	validate(t, schema(t, "summary.schema.json", SummarySchema), string(summary))
	if strings.Count(string(summary), `"estimated": true`) != 2 || !strings.Contains(string(summary), `"prompt_limit": 2048`) {
		t.Errorf("got %s, want estimated twice and the prompt limit", summary)
	}
}
