package report

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// Means are the two means of a run, each with its 95% interval.
type Means struct {
	// Rows is the mean of faithfulness over rows, in which every row has the
	// same weight. Its estimate is the mean of Tally.Faithfulness.
	Rows stats.Interval
	// Claims is the share of supported claims among all, in which every claim
	// has the same weight. Its units are rows all the same, for the claims of
	// a row are right or wrong together.
	Claims stats.Interval
	// Counted is the number of claims in Claims.
	Counted int
	// Cluster is the column by whose values rows are grouped into the units of
	// both intervals; "" where every row is a unit.
	Cluster string
	Seed    uint64 // of the resamples
}

// An Estimator finds the Means of a run. Without a cluster column it counts
// nothing by itself; with one it keeps four numbers for every group of rows.
type Estimator struct {
	cluster      string
	seed         uint64
	rows, claims stats.Groups
	means        *Means
}

// NewEstimator returns an Estimator of intervals over rows or, with a cluster
// column, over groups of rows that have the same value there: a kept column, or
// one of [ClusterFields]. A row without a value, which is null, empty or not
// there, is a group by itself.
func NewEstimator(cluster string, seed uint64) *Estimator {
	return &Estimator{cluster: cluster, seed: seed}
}

// ClusterFields are the fields of a row by which rows can be grouped, besides
// kept columns.
func ClusterFields() []string { return []string{"id", "question", "answer", "contexts"} }

// Write counts r. It returns no error, and makes an Estimator an eval.Sink.
func (e *Estimator) Write(r *result.Row) error {
	if e.cluster == "" || math.IsNaN(r.Faithfulness) {
		return nil
	}
	group := e.group(r)
	e.rows.Add(group, r.Faithfulness, 1)
	if r.Status == result.Scored {
		e.claims.Add(group, float64(r.Supported()), float64(len(r.Claims)))
	}
	return nil
}

// Means returns the means once all rows are there, which t has counted as well.
// They are found once: later calls are for the same rows.
func (e *Estimator) Means(t *Tally) *Means {
	if e.means != nil {
		return e.means
	}
	rows, claims := t.Faithfulness.Sample(), &t.shares
	if e.cluster != "" {
		rows, claims = e.rows.Sample(), e.claims.Sample()
	}
	o := stats.Options{Seed: e.seed}
	e.means = &Means{
		Rows:    centred(rows.Interval(o), t.Faithfulness.Mean()),
		Claims:  centred(claims.Interval(o), float64(t.Supported)/float64(t.Claims)), // NaN without claims
		Counted: t.Claims, Cluster: e.cluster, Seed: e.seed,
	}
	return e.means
}

// centred puts in the mean as it is told elsewhere: added up in another order, it
// may differ in its last bit.
func centred(i stats.Interval, mean float64) stats.Interval {
	i.Estimate = mean
	if i.Reliable() {
		i.Lower, i.Upper = min(i.Lower, mean), max(i.Upper, mean)
	}
	return i
}

// group names the group of r, in no more bytes than longGroup.
func (e *Estimator) group(r *result.Row) string {
	value := ""
	switch e.cluster {
	case "id":
		value = r.ID
	case "question":
		value = r.Question
	case "answer":
		value = r.Answer
	case "contexts":
		value = string(result.AppendTexts(nil, r.Contexts))
	default:
		at := slices.IndexFunc(r.Kept, func(c dataset.Column) bool { return c.Name == e.cluster })
		if at >= 0 {
			value = groupValue(r.Kept[at].Value)
		}
	}
	const longGroup = 64
	switch {
	case value == "":
		return "row " + strconv.Itoa(r.Index)
	case len(value) > longGroup:
		sum := sha256.Sum256([]byte(value))
		return "hash " + string(sum[:])
	}
	return "value " + value
}

// groupValue is what a kept value is compared by. A number is the same as a
// number and as a text, and with a zero fraction as without: one file of a
// dataset may have 1 where another has 1.0, since a column of floats can hold
// nulls in pandas and one of integers can't.
func groupValue(value []byte) string {
	text, isText := result.PlainText(value)
	if isText {
		return text
	}
	if whole, fraction, ok := strings.Cut(text, "."); ok && strings.Trim(fraction, "0") == "" && result.IsNumber(text) {
		return whole
	}
	return text
}

// A SaidMean is a mean as a person is told of it.
type SaidMean struct {
	Of       string // rows or claims
	Estimate string // with four decimals
	Interval string // "0.7711 to 0.8489", "" for none
	// Basis says what the interval rests on: "n = 100 rows, BCa bootstrap".
	// Where there is none, or not the usual one, it says why.
	Basis string
}

// Said returns the means that there are, that over rows first.
func (m *Means) Said() []SaidMean {
	if m == nil {
		return nil
	}
	var all []SaidMean
	if !math.IsNaN(m.Rows.Estimate) {
		all = append(all, m.said("rows", &m.Rows))
	}
	if m.Counted > 0 {
		all = append(all, m.said("claims", &m.Claims))
	}
	return all
}

func (m *Means) said(of string, i *stats.Interval) SaidMean {
	s := SaidMean{Of: of, Estimate: fourDecimals(i.Estimate), Basis: m.basis(of, i)}
	if i.Reliable() {
		s.Interval = fourDecimals(i.Lower) + " to " + fourDecimals(i.Upper)
	}
	return s
}

// Basis says what the interval over rows rests on, or why there is none.
func (m *Means) Basis() string { return m.basis("rows", &m.Rows) }

// basis is what an interval rests on.
func (m *Means) basis(of string, i *stats.Interval) string {
	units := "rows"
	if m.Cluster != "" {
		units = "groups by " + Clip(m.Cluster, nameText)
	}
	if i.N == 1 {
		units = strings.Replace(units, "s", "", 1) // the row, the group
	}
	basis := fmt.Sprintf("n = %d %s", i.N, units)
	if of == "claims" {
		basis += fmt.Sprintf(" with %d claims", m.Counted)
	}
	switch {
	case i.Note != "":
		return basis + ": " + i.Note
	case i.Method == stats.BCa:
		return basis + ", BCa bootstrap"
	}
	return basis + ", " + string(i.Method)
}

// String says a mean on one line.
func (s *SaidMean) String() string {
	if s.Interval == "" {
		return s.Estimate + ", no 95% interval (" + s.Basis + ")"
	}
	return s.Estimate + ", 95% interval " + s.Interval + " (" + s.Basis + ")"
}
