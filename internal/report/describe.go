package report

import (
	"math"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/stats"
)

// describe renders s as describe() of pandas does for a column of that name,
// without a line break at the end.
func describe(name string, s *stats.Summary) string {
	labels := []string{"count", "mean", "std", "min", "25%", "50%", "75%", "max"}
	values := floats([]float64{
		float64(s.Count()), s.Mean(), s.Std(), s.Min(),
		s.Quantile(0.25), s.Quantile(0.5), s.Quantile(0.75), s.Max(),
	})
	wide := 0
	for _, v := range values {
		wide = max(wide, len(v))
	}
	var b strings.Builder
	for i, v := range values {
		b.WriteString(labels[i])
		b.WriteString(strings.Repeat(" ", len("count")-len(labels[i])+len("    ")+wide-len(v)))
		b.WriteString(v)
		b.WriteByte('\n')
	}
	b.WriteString("Name: " + name + ", dtype: float64")
	return b.String()
}

// floats renders the numbers of a column as pandas does: with six decimals, or
// with as many as the one that needs most, but at least one.
func floats(column []float64) []string {
	const most = 6
	texts := make([]string, len(column))
	need := 1
	for i, x := range column {
		if math.IsNaN(x) {
			texts[i] = "NaN"
			continue
		}
		texts[i] = strconv.FormatFloat(x, 'f', most, 64)
		short := strings.TrimRight(texts[i], "0")
		need = max(need, len(short)-strings.IndexByte(short, '.')-1)
	}
	for i, x := range column {
		if !math.IsNaN(x) {
			texts[i] = texts[i][:len(texts[i])-most+need]
		}
	}
	return texts
}
