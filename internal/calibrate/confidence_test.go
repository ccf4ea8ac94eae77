package calibrate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestConfidenceFollowsTheLabels checks a judge that is less certain than it should be of
// supported claims, and at chance on others.
func TestConfidenceFollowsTheLabels(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var rows []example
	for range 400 {
		row := example{scores: [2]float64{0.2, 0.2}}
		if r.IntN(2) == 0 {
			row.scores = [2]float64{0.7, 0.7}
		}
		if share := map[float64]float64{0.2: 0.5, 0.7: 0.9}[row.scores[0]]; r.Float64() < share {
			row.label = 1
		}
		rows = append(rows, row)
	}
	c := newStatistics(t, Options{}, rows).Confidence
	if c == nil || c.Rows != 400 {
		t.Fatalf("got %+v, want a fit to 400 rows", c)
	}
	for _, tt := range []struct {
		isSupported       bool
		probability, want float64
	}{{true, 0.7, 0.9}, {false, 0.2, 0.5}} {
		if got := c.Confidence(tt.isSupported, tt.probability); math.Abs(got-tt.want) > 0.06 {
			t.Errorf("supported %t with %v: got confidence %v, want about %v", tt.isSupported, tt.probability, got, tt.want)
		}
	}
	if c.Before < 0.2 || c.After > 0.06 {
		t.Errorf("got calibration errors %v and %v, want about 0.25 and nearly 0", c.Before, c.After)
	}
}

func TestConfidenceNeedsLabels(t *testing.T) {
	for name, rows := range map[string][]example{
		"few rows":  examples(minReliabilityRows - 1),
		"one label": ranked(60, 0.6, 0.9, 0),
	} {
		if c := newStatistics(t, Options{}, rows).Confidence; c != nil {
			t.Errorf("%s: got %+v, want none", name, c)
		}
	}
}

func TestReadRejectsDecreasingConfidence(t *testing.T) {
	report := exampleReport(t)
	c := report.Calibration()
	if c.Confidence == nil {
		t.Fatal("got no confidence")
	}
	c.Confidence.Slope = -1
	content, err := c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Read(writeFile(t, "c.json", string(content))); err == nil {
		t.Error("got no error for a negative slope")
	}
}
