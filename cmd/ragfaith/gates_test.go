package main

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/report"
)

func tallyOf(failed int, scores ...float64) *report.Tally {
	var t report.Tally
	for _, x := range scores {
		_ = t.Write(&eval.Result{Status: eval.Scored, Faithfulness: x})
	}
	for range failed {
		_ = t.Write(&eval.Result{Status: eval.Failed, Faithfulness: math.NaN()})
	}
	return &t
}

func TestGatesDecideTheExitCode(t *testing.T) {
	bar := func(x float64) *float64 { return &x }
	tenths := slices.Repeat([]float64{0.1}, 3) // whose mean is not 0.1 in binary
	for _, tt := range []struct {
		name  string
		o     scoreOptions
		tally *report.Tally
		code  int
		want  string
	}{
		{"no gate", scoreOptions{}, tallyOf(0, 0), 0, ""},
		{"above", scoreOptions{minMean: bar(0.8)}, tallyOf(0, 1, 0.6246), 0, "gate: mean faithfulness 0.8123 >= 0.80 (n = 2 scored): pass\n"},
		{"equal", scoreOptions{minMean: bar(0.1)}, tallyOf(0, tenths...), 0, "gate: mean faithfulness 0.1000 >= 0.10 (n = 3 scored): pass\n"},
		{"below", scoreOptions{minMean: bar(0.825)}, tallyOf(0, 0.8), 4, "gate: mean faithfulness 0.8000 < 0.825 (n = 1 scored): FAIL\n"},
		{"just below", scoreOptions{minMean: bar(0.8)}, tallyOf(0, 0.799999), 4, "gate: mean faithfulness 0.799999 < 0.80 (n = 1 scored): FAIL\n"},
		{"just above", scoreOptions{minMean: bar(0.80001)}, tallyOf(0, 0.800013), 0, "gate: mean faithfulness 0.80001 >= 0.80001 (n = 1 scored): pass\n"},
		{"nothing scored", scoreOptions{minMean: bar(0)}, tallyOf(0), 4, "gate: mean faithfulness >= 0.00 can't be judged (n = 0 scored): FAIL\n"},
		{"failed rows", scoreOptions{}, tallyOf(2, 1), 3, "gate: 2 failed rows > 0 (--max-failed): FAIL\n"},
		{"failed rows that may fail", scoreOptions{maxFailed: 2}, tallyOf(2, 1), 0, ""},
		{"both", scoreOptions{minMean: bar(0.9), maxFailed: 1}, tallyOf(2, 0.5), 3, "gate: mean faithfulness 0.5000 < 0.90 (n = 1 scored): FAIL\ngate: 2 failed rows > 1 (--max-failed): FAIL\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			err := gates(&tt.o, tt.tally, &console{w: &b})
			code := 0
			var exit *exitError
			if errors.As(err, &exit) {
				code = exit.code
			}
			if code != tt.code || b.String() != tt.want {
				t.Errorf("exit %d:\n%s", code, &b)
			}
		})
	}
}
