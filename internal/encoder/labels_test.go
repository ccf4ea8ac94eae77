package encoder

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMeanings(t *testing.T) {
	const s, c, n = Supported, Contradicted, NotMentioned
	generic := []string{"LABEL_0", "LABEL_1"}
	tests := []struct {
		labels []string
		given  map[string]string
		want   []Meaning
		err    string
	}{
		{labels: []string{"contradiction", "neutral", "entailment"}, want: []Meaning{c, n, s}},
		{labels: []string{"ENTAILMENT", "Neutral", " Contradiction"}, want: []Meaning{s, n, c}},
		{labels: []string{"entailment", "not_entailment"}, want: []Meaning{s, n}},
		{labels: []string{"not-entailment", "entailment"}, want: []Meaning{n, s}},
		{labels: []string{"SUPPORTS", "REFUTES", "NOT ENOUGH INFO"}, want: []Meaning{s, c, n}},
		{labels: []string{"unsupported", "supported"}, want: []Meaning{n, s}},
		{labels: []string{"hallucinated", "consistent"}, want: []Meaning{n, s}},
		{labels: generic, given: map[string]string{"LABEL_0": "not_mentioned", "LABEL_1": "supported"}, want: []Meaning{n, s}},
		{labels: []string{"entailment", "other"}, given: map[string]string{"other": "contradicted"}, want: []Meaning{s, c}},
		{labels: []string{"entailment", "neutral"}, given: map[string]string{"entailment": "not_mentioned", "neutral": "supported"}, want: []Meaning{n, s}},

		{labels: generic, err: `"LABEL_0", "LABEL_1"`},
		{labels: generic, given: map[string]string{"LABEL_0": "supported"}, err: `label "LABEL_1": unknown meaning`},
		{labels: generic, given: map[string]string{"LABEL_2": "supported"}, err: `no label "LABEL_2"; it has "LABEL_0", "LABEL_1"`},
		{labels: generic, given: map[string]string{"LABEL_0": "yes"}, err: `LABEL_0: "yes" is not supported, contradicted or not_mentioned`},
		{labels: generic, given: map[string]string{"LABEL_0": "supported", "LABEL_1": "supported"}, err: "at least one must mean supported"},
		{labels: []string{"neutral", "contradiction"}, err: "at least one must mean supported"},
		{labels: []string{"entailment"}, err: "at least one must mean supported"},
	}
	for _, tt := range tests {
		t.Run(strings.Join(tt.labels, ","), func(t *testing.T) {
			got, err := meanings(tt.labels, tt.given)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("got error %v, want %q", err, tt.err)
				}
				return
			}
			if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
				t.Errorf("got error %v, difference (-want +got)\n%s", err, diff)
			}
		})
	}
}

func TestProbabilitiesSumLabelsByMeaning(t *testing.T) {
	info := Info{Meanings: []Meaning{NotMentioned, Supported, Contradicted, NotMentioned}}
	got := info.Probabilities([]float32{1, 2, 3, 4})
	total := math.Exp(1) + math.Exp(2) + math.Exp(3) + math.Exp(4)
	want := Probabilities{math.Exp(2) / total, math.Exp(3) / total, (math.Exp(1) + math.Exp(4)) / total}
	for name, pair := range map[string][2]float64{
		"supported": {got.Supported, want.Supported}, "contradicted": {got.Contradicted, want.Contradicted},
		"not mentioned": {got.NotMentioned, want.NotMentioned}, "sum": {got.Supported + got.Contradicted + got.NotMentioned, 1},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-12 {
			t.Errorf("%s: got %v, want %v", name, pair[0], pair[1])
		}
	}
	// The exponentials of these logits would overflow.
	if got := info.Probabilities([]float32{0, 3e4, -3e4, 0}); got.Supported != 1 {
		t.Errorf("got %+v, want 1 supported", got)
	}
}

func TestConfigLabels(t *testing.T) {
	tests := []struct {
		config string
		want   []string
	}{
		{`{"id2label":{"1":"b","0":"a","2":"c"}}`, []string{"a", "b", "c"}},
		{`{}`, []string{"LABEL_0", "LABEL_1"}},
		{`{"id2label":{"0":0,"1":1.5}}`, []string{"0", "1.5"}},
		{`{"id2label":null,"num_labels":3}`, []string{"LABEL_0", "LABEL_1", "LABEL_2"}},
	}
	for _, tt := range tests {
		c, err := parseConfig(configFile, []byte(tt.config))
		if err != nil {
			t.Fatal(err)
		}
		got := c.labels()
		if diff := cmp.Diff(tt.want, got); c.err != nil || diff != "" {
			t.Errorf("%v: got error %v, difference (-want +got)\n%s", tt.config, c.err, diff)
		}
	}
}
