package report

import (
	"math"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/stats"
)

// describe formats s like describe() of pandas for a column name, without a final line
// feed.
func describe(name string, s *stats.Summary) string {
	labels := []string{"count", "mean", "std", "min", "25%", "50%", "75%", "max"}
	values := floats([]float64{
		float64(s.Count()), s.Mean(), s.Std(), s.Min(),
		s.Quantile(0.25), s.Quantile(0.5), s.Quantile(0.75), s.Max(),
	})
	width := 0
	for _, v := range values {
		width = max(width, len(v))
	}
	var b strings.Builder
	for i, v := range values {
		b.WriteString(labels[i])
		b.WriteString(strings.Repeat(" ", len("count")-len(labels[i])+len("    ")+width-len(v)))
		b.WriteString(v)
		b.WriteByte('\n')
	}
	b.WriteString("Name: " + name + ", dtype: float64")
	return b.String()
}

// floats formats the numbers of a column like pandas: with as many decimals as the number
// that needs most, at least one and at most six.
func floats(column []float64) []string {
	const maxDecimals = 6
	texts := make([]string, len(column))
	decimals := 1
	for i, x := range column {
		if math.IsNaN(x) {
			texts[i] = "NaN"
			continue
		}
		texts[i] = strconv.FormatFloat(x, 'f', maxDecimals, 64)
		short := strings.TrimRight(texts[i], "0")
		decimals = max(decimals, len(short)-strings.IndexByte(short, '.')-1)
	}
	for i, x := range column {
		if !math.IsNaN(x) {
			texts[i] = texts[i][:len(texts[i])-maxDecimals+decimals]
		}
	}
	return texts
}
