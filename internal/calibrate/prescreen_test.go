package calibrate

import (
	"math"
	"strings"
	"testing"
)

// split is the threshold of scoredRow.
const split = 0.5

// ranked returns n rows with scores from low to high. The given share of them at the end
// nearest to 0.5 has a label that contradicts the score.
func ranked(n int, low, high, wrong float64) []example {
	rows := make([]example, n)
	for i := range rows {
		x := low + (high-low)*float64(i)/float64(n-1)
		label := 0.0
		if x >= split {
			label = 1
		}
		distance := float64(i) / float64(n)
		if low < split {
			distance = 1 - distance
		}
		if distance < wrong {
			label = 1 - label
		}
		rows[i] = example{scores: [2]float64{math.Round(x*1e6) / 1e6, 1}, label: label}
	}
	return rows
}

func TestPrescreenFitsBounds(t *testing.T) {
	for _, tt := range []struct {
		name         string
		rows         []example
		maxError     float64
		lower, upper float64 // scores up to and from which the confidence reaches the bound
		note         string
	}{
		{"both", append(ranked(200, 0.6, 1, 0), ranked(200, 0, 0.4, 0)...), 0, 0.4, 0.6, "0 of 200 rows wrong (at most 5% with 95% confidence)"},
		{"wrong near the threshold", append(ranked(200, 0.5, 1, 0.4), ranked(200, 0, 0.4, 0.4)...), 0, 0.24, 0.7, "rows wrong"},
		{"only faithful rows are clear", append(ranked(200, 0.6, 1, 0), ranked(200, 0, 0.4, 0.9)...), 0, math.NaN(), 0.6, "0 of 200 rows wrong"},
		{"few rows", append(ranked(50, 0.6, 1, 0), ranked(50, 0, 0.4, 0)...), 0, math.NaN(), math.NaN(), "too few labelled rows with this verdict (minimum 59)"},
		{"larger error", append(ranked(50, 0.6, 1, 0), ranked(50, 0, 0.4, 0)...), 0.1, 0.4, 0.6, "0 of 50 rows wrong (at most 10% with 95% confidence)"},
		{"random labels", append(ranked(200, 0.5, 1, 1), ranked(200, 0, 0.4, 1)...), 0, math.NaN(), math.NaN(), "more than 5% wrong: 72 of the first 72 rows"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newStatistics(t, Options{MaxError: tt.maxError}, tt.rows).Prescreen
			near := func(got, want float64) bool {
				return math.IsNaN(got) && math.IsNaN(want) || math.Abs(got-want) < 0.02
			}
			if !near(p.Unsupported.Score, 1-tt.lower) || !near(p.Supported.Score, tt.upper) {
				t.Errorf("got bounds %v and %v, want %v and %v", p.Unsupported.Score, p.Supported.Score, 1-tt.lower, tt.upper)
			}
			if got := p.Supported.Note; !strings.Contains(got, tt.note) {
				t.Errorf("got %q, want %q", got, tt.note)
			}
		})
	}
}

// TestPrescreenBoundsDivideTheRows checks the counts of each bound against the rows.
func TestPrescreenBoundsDivideTheRows(t *testing.T) {
	rows := append(ranked(200, 0.5, 1, 0.3), ranked(200, 0, 0.45, 0.3)...)
	p := newStatistics(t, Options{}, rows).Prescreen
	var above, aboveWrong, below, belowWrong int
	for _, r := range rows {
		if r.scores[0] >= split && r.scores[0] >= p.Supported.Score {
			above++
			aboveWrong += int(1 - r.label)
		}
		if r.scores[0] < split && 1-r.scores[0] >= p.Unsupported.Score {
			below++
			belowWrong += int(r.label)
		}
	}
	if p.Supported.Rows != above || p.Supported.Wrong != aboveWrong || above == 0 {
		t.Errorf("supported: got %+v, want %d of %d wrong", p.Supported, aboveWrong, above)
	}
	if p.Unsupported.Rows != below || p.Unsupported.Wrong != belowWrong || below == 0 {
		t.Errorf("unsupported: got %+v, want %d of %d wrong", p.Unsupported, belowWrong, below)
	}
}

func TestPrescreenNeedsScoresAndLabels(t *testing.T) {
	if exampleCalibration(t, lexicalSettings()).Prescreen == nil {
		t.Error("lexical judge: got no bounds")
	}
	if got := exampleCalibration(t, with(lexicalSettings(), "--judge", "llm")); got.Prescreen != nil {
		t.Errorf("language model: got %+v, want no bounds", got.Prescreen)
	}
}

func TestBoundsOfCalibration(t *testing.T) {
	valid := bytesOf(t, exampleCalibration(t, lexicalSettings()))
	set := func(value any) string { return withMember(t, valid, "prescreen", value) }
	bounds := func(unsupported, supported any) map[string]any {
		return map[string]any{
			"max_error": 0.05, "confidence": 0.95,
			"supported":   map[string]any{"bound": supported, "rows": 70, "wrong": 0, "note": "too high"},
			"unsupported": map[string]any{"bound": unsupported, "rows": 70, "wrong": 0, "note": "too low"},
		}
	}
	for name, tt := range map[string]struct{ content, want string }{
		"valid":            {set(bounds(nil, 0.9)), ""},
		"no threshold":     {strings.Replace(set(bounds(0.1, nil)), `"threshold":0.`, `"threshold":null,"former":0.`, 1), ""},
		"earlier version":  {set(nil), "no bounds: it is from an earlier version"},
		"nothing decided":  {set(bounds(nil, nil)), "no bounds: supported: too high; unsupported: too low"},
		"bound of 0":       {set(bounds(nil, 0)), "want bounds above 0"},
		"bound above 1":    {set(bounds(nil, 2)), "want bounds above 0"},
		"bound as string":  {set(bounds(nil, "0.9")), "not a calibration"},
		"default contents": {valid, "no bounds"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := Read(writeFile(t, "c.json", tt.content))
			if err == nil {
				_, _, err = c.Bounds()
			}
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
