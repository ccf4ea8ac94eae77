package report

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/result/resulttest"
	"github.com/ragfaith/ragfaith/internal/stats"
)

func schema(t *testing.T, name, id string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	s, err := c.Compile("../../schema/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if s.ID != id+"#" && s.ID != id && !strings.HasPrefix(s.Location, id) {
		t.Errorf("%s is %q at %q", name, s.ID, s.Location)
	}
	return s
}

func TestResultsMatchSchema(t *testing.T) {
	s := schema(t, "result.schema.json", ResultSchema)
	for line := range strings.Lines(write(t, FormatJSONL, Options{}, append(resulttest.KeptTypes(), hostileFailure())...)) {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(doc); err != nil {
			t.Errorf("%v: %s", err, line)
		}
	}
	good := write(t, FormatJSONL, Options{}, resulttest.Marked())
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
		bad := strings.Replace(good, change[0], change[1], 1)
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		if bad == good || err == nil && s.Validate(doc) == nil {
			t.Errorf("valid with %s", change[1])
		}
	}
}

func TestSummaryMatchesSchema(t *testing.T) {
	s := schema(t, "summary.schema.json", SummarySchema)
	var f, none Figures
	for _, r := range []*result.Row{resulttest.Scored(), resulttest.NoClaims(), resulttest.Failed(), resulttest.Marked()} {
		_ = f.Write(r)
	}
	full := f.Summary(someGates(nil), someMeans(nil))
	full.Ragfaith, full.Datasets, full.ExitCode = "ragfaith 1", []string{"a <b>.jsonl"}, 4
	full.Settings = SummaryNames{{"--claims", "sentence"}, {"--judge", "x"}, {"--evidence", "chunks"}, {"--threshold", "0.5"}}
	full.Spent = &SummarySpent{USD: NoFigure(), Downgrades: []SummaryDowngrade{{"json_schema", "json_object", 400}, {"json_object", "prompt", 0}}}
	empty := none.Summary(nil, NewEstimator("", 0).Means(new(Tally)))
	empty.Ragfaith, empty.Datasets, empty.Settings = "ragfaith 1", []string{"-"}, full.Settings
	for i, summary := range []*Summary{full, empty} {
		text, err := summary.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			golden(t, "summary.json", string(text))
		}
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(doc); err != nil {
			t.Error(err)
		}
		object, _ := doc.(map[string]any)
		for _, name := range []string{"rows", "means", "gates", "passed", "spent", "settings"} {
			value := object[name]
			delete(object, name)
			if s.Validate(doc) == nil {
				t.Errorf("valid without %s", name)
			}
			object[name] = value
		}
		object["key"] = "secret"
		if s.Validate(doc) == nil {
			t.Error("valid with more than there is")
		}
	}
	if empty.Passed != true || full.Passed {
		t.Error(empty.Passed, full.Passed)
	}
}

// Support is described as faithfulness is, which is held against pandas.
func TestScoreHistogramMatchesSummary(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for n := range 30 {
		var m scoreHistogram
		var s stats.Summary
		for range n {
			x := result.Round(random.Float64())
			m.add(x)
			s.Add(x)
		}
		m.add(math.NaN())
		equal := cmp.Options{
			cmp.Transformer("number", func(f Figure) float64 { return float64(f) }),
			cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-12),
		}
		if d := cmp.Diff(summaryFigures(&s), m.figures(), equal); d != "" {
			t.Errorf("%d numbers: %s", n, d)
		}
	}
	var m scoreHistogram
	for _, x := range []float64{-0.5, 1.5, 1} { // as of a judge that does not keep to the range
		m.add(x)
	}
	if f := m.figures(); f.Min != 0 || f.Max != 1 || f.Count != 3 {
		t.Error(f)
	}
}

func TestFigureMarshalsNaNAsNull(t *testing.T) {
	b, err := json.Marshal([]Figure{1, NoFigure(), 0.25})
	if err != nil || string(b) != "[1.0,null,0.25]" {
		t.Errorf("%s %v", b, err)
	}
}

func TestUsageSaturates(t *testing.T) {
	var f Figures
	for range 3 {
		r := resulttest.Scored()
		r.Usage = result.Usage{Requests: 1, PromptTokens: math.MaxInt, CompletionTokens: math.MaxInt/2 + 1}
		if err := f.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := f.Summary(nil, nil).Usage, (result.Usage{Requests: 3, PromptTokens: math.MaxInt, CompletionTokens: math.MaxInt}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}
