package report

import (
	"testing"

	"github.com/ragfaith/ragfaith/internal/stats"
)

// The expected texts are the output of Series.describe() of pandas 3.1.1.
func TestDescribeMatchesPandas(t *testing.T) {
	for _, tt := range []struct {
		name   string
		values []float64
		want   string
	}{
		{"one value", []float64{1}, `count    1.0
mean     1.0
std      NaN
min      1.0
25%      1.0
50%      1.0
75%      1.0
max      1.0
Name: faithfulness, dtype: float64`},
		{"fractions", []float64{0, 0.5, 1, 1.0 / 3, 2.0 / 3, 0.25, 0.2, 1, 1, 1}, `count    10.000000
mean      0.595000
std       0.389844
min       0.000000
25%       0.270833
50%       0.583333
75%       1.000000
max       1.000000
Name: faithfulness, dtype: float64`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s stats.Summary
			for _, x := range tt.values {
				s.Add(x)
			}
			checkDiff(t, tt.want, describe(&s))
		})
	}
}

func TestCellTruncatesAndEscapes(t *testing.T) {
	for _, tt := range []struct {
		s     string
		width int
		want  string
	}{
		{"short", 5, "short"},
		{"longer", 5, "lo..."},
		{"生まれた", 8, "生まれた"},
		{"生まれた。", 8, "生ま..."},
		{"生まれた。", 4, "..."},
		{"e\u0301te\u0301s", 4, "e\u0301te\u0301s"},
		{"a\nb\tc\rd", 20, `a\nb\tc\rd`},
		{"\x1b[31m\u202e\U000e0041", 40, `\x1b[31m\u202e\U000e0041`},
		{"a\u00a0b\u3000c", 20, "a b c"},
		{"क्\u200dष", 20, "क्\u200dष"},
		{"abc", 2, ".."},
		{"abc", 0, ""},
	} {
		if got := cell(tt.s, tt.width); got != tt.want {
			t.Errorf("cell(%q, %d): got %q, want %q", tt.s, tt.width, got, tt.want)
		}
	}
}
