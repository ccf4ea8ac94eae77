package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
	"github.com/ragfaith/ragfaith/internal/usage"
)

// A Tally counts the rows, claims and citations of a run, and estimates its means. With a
// cluster column it keeps four numbers per unit. The zero Tally is ready to use and has no
// cluster and no groups.
type Tally struct {
	RowCounts
	Refusal, Empty, NothingClaimed int // parts of NoClaims
	NoContexts                     int // scored and skipped rows with empty contexts
	// Faithfulness contains the scored rows, and the rows without claims if --no-claims
	// assigns them a score.
	Faithfulness stats.Summary
	// Claims counts the judged claims.
	Claims, Supported, Contradicted, Graded int
	UnjudgedClaims                          int
	Confident, Uncertain                    int                 // claims with a confidence, and those below UncertainBelow
	Usage                                   usage.Usage         // usage of all rows
	Marks                                   map[result.Mark]int // rows by mark; nil if there are none
	Citations                               Citations
	Prescreen                               Prescreen

	unjudged     int64 // sum of the shares of words in no judged claim, in millionths, so that it is exact in any order
	unjudgedRows int   // rows in unjudged

	shares stats.Sample // fraction of supported claims of each scored row

	cluster      string
	seed         uint64
	rows, claims stats.Groups // with a cluster column
	by           []*grouper
	means        *Means // nil until they are estimated
}

// NewTally returns a Tally whose intervals are over rows or, if cluster is not "", over groups
// of rows with the same value in that column, which is a kept column or one of [GroupFields].
// A row whose value is null, empty or missing is its own group. It also estimates the means of
// the groups of rows by each column of by.
func NewTally(cluster string, by []string, seed uint64) *Tally {
	t := &Tally{cluster: cluster, seed: seed}
	for _, column := range by {
		t.by = append(t.by, &grouper{column: column, cluster: cluster, groups: make(map[string]*groupScores)})
	}
	return t
}

// Write counts r. It never returns an error.
func (t *Tally) Write(r *result.Row) error {
	t.Add(r.Status)
	if r.Reason == result.NoContexts {
		t.NoContexts++
	}
	for _, m := range r.Marks {
		t.mark(m)
	}
	if r.Usage.Estimated {
		t.mark(result.EstimatedUsage)
	}
	switch r.Status {
	case result.Scored, result.UnjudgedRow:
		if !math.IsNaN(r.Unjudged) {
			t.unjudgedRows++
			t.unjudged += int64(math.Round(r.Unjudged * million))
		}
		judged := r.JudgedClaims()
		t.Claims += judged
		t.UnjudgedClaims += len(r.Claims) - judged
		before := t.Supported
		for i := range r.Claims {
			if r.Claims[i].Graded {
				t.Graded++
			}
			if c := result.Round(r.Claims[i].Confidence); c > 0 { // rounded as it is stored
				t.Confident++
				if c < UncertainBelow {
					t.Uncertain++
				}
			}
			switch r.Claims[i].Verdict {
			case result.Supported:
				t.Supported++
			case result.Contradicted:
				t.Contradicted++
			case result.NotMentioned, result.Unjudged:
			}
		}
		t.Prescreen.add(r)
		if judged > 0 {
			t.shares.Add(float64(t.Supported-before), float64(judged))
		}
	case result.Failed, result.SkippedRow:
	case result.NoClaims:
		switch r.Reason {
		case "refusal":
			t.Refusal++
		case "empty":
			t.Empty++
		default:
			t.NothingClaimed++
		}
	}
	t.Faithfulness.Add(r.Faithfulness)
	t.Usage = t.Usage.Add(r.Usage)
	t.Citations.add(r)
	t.addUnits(r)
	return nil
}

// addUnits adds r to its unit and its groups.
func (t *Tally) addUnits(r *result.Row) {
	unit := ""
	if t.cluster != "" {
		unit = "row " + strconv.Itoa(r.Index) // of a row without a value
		if value := ColumnValue(r, t.cluster); value != "" {
			unit = groupKey(value)
		}
	}
	for _, g := range t.by {
		g.write(r, unit)
	}
	if t.cluster == "" || math.IsNaN(r.Faithfulness) {
		return
	}
	t.rows.Add(unit, r.Faithfulness, 1)
	if r.Status == result.Scored {
		t.claims.Add(unit, float64(r.Supported()), float64(r.JudgedClaims()))
	}
}

// Means returns the means after the last row. They are estimated once.
func (t *Tally) Means() *Means {
	if t.means != nil {
		return t.means
	}
	rows, claims := t.Faithfulness.Sample(), &t.shares
	if t.cluster != "" {
		rows, claims = t.rows.Sample(), t.claims.Sample()
	}
	o := stats.Options{Seed: t.seed}
	t.means = &Means{
		Rows:    centred(rows.Interval(o), t.Faithfulness.Mean()),
		Claims:  centred(claims.Interval(o), float64(t.Supported)/float64(t.Claims)), // NaN without claims
		Counted: t.Claims, Cluster: NullText(t.cluster), Seed: t.seed,
	}
	for _, g := range t.by {
		t.means.By = append(t.means.By, g.by(o))
	}
	return t.means
}

func (t *Tally) mark(m result.Mark) {
	if t.Marks == nil {
		t.Marks = make(map[result.Mark]int)
	}
	t.Marks[m]++
}

// Marked returns the number of rows with each mark of a row on one line, or "".
func (t *Tally) Marked() string {
	parts := make([]string, 0, len(t.Marks))
	for _, m := range slices.Sorted(maps.Keys(t.Marks)) {
		if m != result.EstimatedUsage {
			parts = append(parts, fmt.Sprintf("%s %d", m, t.Marks[m]))
		}
	}
	return strings.Join(parts, ", ")
}

// String returns the counts on one line.
func (t *Tally) String() string {
	text := fmt.Sprintf("scored %d", t.Scored)
	if n := t.NoContexts - t.Skipped; n > 0 {
		text += fmt.Sprintf(" (%d with empty contexts)", n)
	}
	text += fmt.Sprintf(", no claims %d", t.NoClaims)
	if t.NoClaims > 0 {
		text += fmt.Sprintf(" (%s; refusal %d, empty %d, nothing claimed %d)", t.NoClaimsPercent(), t.Refusal, t.Empty, t.NothingClaimed)
	}
	if t.Unjudged > 0 {
		text += fmt.Sprintf(", unjudged %d (language)", t.Unjudged)
	}
	text += fmt.Sprintf(", failed %d", t.Failed)
	if t.Skipped > 0 {
		text += fmt.Sprintf(", skipped %d (empty contexts)", t.Skipped)
	}
	return text
}

// NoClaimsShare returns the fraction of rows without claims among those that did not
// fail and were not skipped, or NaN if there are none.
func (t *Tally) NoClaimsShare() float64 {
	return float64(t.NoClaims) / float64(t.Scored+t.NoClaims+t.Unjudged)
}

// NoClaimsPercent returns NoClaimsShare in percent.
func (t *Tally) NoClaimsPercent() string { return fmt.Sprintf("%.1f%%", 100*t.NoClaimsShare()) }

// UnjudgedShare returns the mean share of the words that are in no judged claim, of the
// rows with claims that did not fail, and the number of those rows. The mean is NaN if there are none.
func (t *Tally) UnjudgedShare() (mean float64, rows int) {
	return float64(t.unjudged) / million / float64(t.unjudgedRows), t.unjudgedRows
}

// UnjudgedPercent returns UnjudgedShare in percent.
func (t *Tally) UnjudgedPercent() string {
	mean, _ := t.UnjudgedShare()
	return fmt.Sprintf("%.1f%%", 100*mean)
}

// Cited summarizes the citations on one line. It returns "" if there are none.
func (t *Tally) Cited() string {
	c := &t.Citations
	if c.Rows == 0 {
		return ""
	}
	cite, resolve := "rows cite", "citations resolve"
	if t.Rows == 1 {
		cite = "row cites"
	}
	if c.Unresolved == 1 {
		resolve = "citation resolves"
	}
	return fmt.Sprintf("recall %s, precision %s (%d of %d %s, %d %s to nothing)",
		cmp.Or(Score(c.Recall()), "none"), cmp.Or(Score(c.Precision()), "none"), c.Rows, t.Rows, cite, c.Unresolved, resolve)
}

const (
	// UncertainBelow is the confidence below which a verdict is uncertain. A verdict at this
	// confidence is wrong in three of ten cases.
	UncertainBelow = 0.7
	// someUncertain is the share of uncertain verdicts from which their rows need a check.
	someUncertain = 0.1
	// manyUncertain is the share above which single verdicts are too often wrong to act on.
	manyUncertain = 0.3
)

// UncertainShare returns the uncertain share of the verdicts with a confidence, or NaN.
func (t *Tally) UncertainShare() float64 { return float64(t.Uncertain) / float64(t.Confident) }

// Confidence describes the share of uncertain verdicts in a sentence without its period. It
// returns "" if no verdict has a confidence.
func (t *Tally) Confidence() string {
	if t.Confident == 0 {
		return ""
	}
	verdicts, are, advice := "verdicts", "are", ""
	if t.Confident == 1 {
		verdicts, are = "verdict", "is"
	}
	if t.Confident < t.Claims {
		verdicts += " with a confidence"
	}
	share := t.UncertainShare()
	switch {
	case share > manyUncertain:
		advice = ": use the mean to compare systems, and check single rows with a better judge (such as --judge llm)"
	case share >= someUncertain:
		advice = ": check the rows with the lowest confidence first"
	}
	return fmt.Sprintf("%s of %d %s %s uncertain (confidence below %v)%s", Percent(share, 1), t.Confident, verdicts, are, UncertainBelow, advice)
}

// Prescreened summarizes the prescreen on one line. It returns "" if the run has none.
func (t *Tally) Prescreened() string {
	p := &t.Prescreen
	if p.Decided+p.Audited == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of %d claims decided offline (%.1f%%)", p.Decided, t.Claims, 100*float64(p.Decided)/float64(t.Claims))
	if p.Audited == 0 {
		return text + ", none audited"
	}
	text += fmt.Sprintf(", model agrees on %d of %d audited claims", p.Agreed, p.Audited)
	i := p.Agreement()
	if !i.Reliable() {
		return text + " (" + Count(i.N, "row", "rows") + ": " + i.Note + ")"
	}
	return fmt.Sprintf("%s (95%% interval %.3f to %.3f)", text, i.Lower, i.Upper)
}

// RowCounts are numbers of rows by status.
type RowCounts struct {
	Rows     int `json:"rows"`
	Scored   int `json:"scored"`
	NoClaims int `json:"no_claims"`
	Unjudged int `json:"unjudged,omitempty"` // rows whose claims are all unjudged
	Failed   int `json:"failed"`
	Skipped  int `json:"skipped,omitempty"` // rows skipped because their contexts are empty
}

// Add counts a row with a status.
func (c *RowCounts) Add(s result.Status) {
	c.Rows++
	switch s {
	case result.Scored:
		c.Scored++
	case result.NoClaims:
		c.NoClaims++
	case result.UnjudgedRow:
		c.Unjudged++
	case result.Failed:
		c.Failed++
	case result.SkippedRow:
		c.Skipped++
	}
}

// Citations counts citations.
type Citations struct {
	Rows       int // rows with a citation
	Unresolved int // citations that resolve to no context

	recall    stats.Summary // recall of each scored row; 0 if the row cites nothing
	precision stats.Summary // precision of each row that has one
}

func (c *Citations) add(r *result.Row) {
	if r.Citations == nil {
		if r.Status == result.Scored {
			c.recall.Add(0)
		}
		return
	}
	c.Rows++
	c.Unresolved += r.Citations.Unresolved
	c.recall.Add(r.Citations.Recall)
	c.precision.Add(r.Citations.Precision)
}

// Recall returns the mean citation recall of the scored rows, where a row that cites
// nothing has 0. It is NaN if no row cites anything.
func (c *Citations) Recall() float64 {
	if c.Rows == 0 {
		return math.NaN()
	}
	return c.recall.Mean()
}

// Precision returns the mean citation precision of the rows that have one, or NaN.
func (c *Citations) Precision() float64 { return c.precision.Mean() }

// Prescreen counts the claims of scored rows that an offline judge decided in place of a
// language model, and compares both judges on those that the model judged as an audit.
type Prescreen struct {
	Decided int `json:"decided"` // by the offline judge
	Audited int `json:"audited"` // decided by the offline judge, but judged by the model
	Agreed  int `json:"agreed"`  // audited claims that both judges support, or neither does

	agreement stats.Sample // agreed and audited claims of each audited row
}

func (p *Prescreen) add(r *result.Row) {
	audited, agreed := 0, 0
	for _, c := range r.Claims {
		if c.Prescreened {
			p.Decided++
		}
		if c.OfflineVerdict == "" {
			continue
		}
		audited++
		if (c.OfflineVerdict == result.Supported) == (c.Verdict == result.Supported) {
			agreed++
		}
	}
	p.Audited += audited
	p.Agreed += agreed
	p.agreement.Add(float64(agreed), float64(audited))
}

// Agreement returns the share of audited claims on which both judges agree, with its 95%
// interval. The units are rows, since an audit selects rows.
func (p *Prescreen) Agreement() stats.Interval { return p.agreement.Interval(stats.Options{}) }

// SummaryPrescreen is the JSON form of Prescreen.
type SummaryPrescreen struct {
	Prescreen
	Agreement stats.Interval `json:"agreement"`
}

// Summary converts p to its JSON form.
func (p *Prescreen) Summary() *SummaryPrescreen { return &SummaryPrescreen{*p, p.Agreement()} }
