// Package compare compares two runs over the same rows: how much the faithfulness of the
// candidate differs from that of the baseline, whether the difference is statistically
// significant, and which rows and claims changed.
package compare

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// A Source is one of the two runs.
type Source struct {
	Name string // for messages
	// Rows opens the results. It is called at most twice and must return the same rows.
	Rows func() (iter.Seq2[*result.Row, error], error)
	// Summary is the summary of the run, with its options, or nil if unknown.
	Summary *report.Summary
}

// Run compares the candidate with the baseline. Rows are paired by id, rows with equal ids
// in order, and compared if both have a faithfulness. It reads both runs at most twice and keeps
// about 200 bytes per row and 16 bytes per claim of the baseline, and the texts of at most
// Options.MaxChanges rows. It is an error if the runs have no row ids in common.
func Run(ctx context.Context, baseline, candidate Source, o Options) (*Comparison, error) {
	if o.Alpha == 0 {
		o.Alpha = 0.05
	}
	if o.MaxChanges == 0 {
		o.MaxChanges = 1000
	}
	c := &Comparison{
		Alpha: o.Alpha, Units: RowUnits, ragfaith: o.Ragfaith,
		Baseline:  Side{Name: baseline.Name, Summary: baseline.Summary},
		Candidate: Side{Name: candidate.Name, Summary: candidate.Summary},
	}
	if o.Cluster != "" {
		c.Units = GroupUnits
	}
	p := &pairing{
		o: &o, c: c, seed: maphash.MakeSeed(),
		index: make(map[rowKey]int), sawBaseline: make(map[string]int), sawCandidate: make(map[string]int),
		unscored: make(map[[2]result.Status]*RowIDs),
	}
	if err := each(ctx, baseline, p.addBaseline); err != nil {
		return nil, err
	}
	if err := each(ctx, candidate, p.addCandidate); err != nil {
		return nil, err
	}
	p.finish()
	if c.Paired == 0 {
		return nil, fmt.Errorf("%s and %s have no row ids in common", baseline.Name, candidate.Name)
	}
	if err := readChanges(ctx, c, p.worst(o.MaxChanges), baseline, candidate); err != nil {
		return nil, err
	}
	c.Warnings = warnings(c, p)
	if o.MaxDrop != nil {
		c.Gate = newGate(c, *o.MaxDrop, p.scored)
	}
	if o.MaxRegressed != nil {
		c.RowGate = newRowGate(c, *o.MaxRegressed)
	}
	c.Passed = !slices.ContainsFunc(c.Gates(), func(g report.Gate) bool { return !g.Passed })
	return c, nil
}

func each(ctx context.Context, s Source, f func(*result.Row)) error {
	rows, err := s.Rows()
	if err != nil {
		return err
	}
	for r, err := range rows {
		if err != nil {
			return err
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		f(r)
	}
	return nil
}

// readChanges reads both runs again and stores the given rows in c.Changes.
func readChanges(ctx context.Context, c *Comparison, rows []changedRow, baseline, candidate Source) error {
	if len(rows) == 0 {
		return nil
	}
	c.Changes = make([]Change, len(rows))
	inBaseline, inCandidate := make(map[int]*Change, len(rows)), make(map[int]*Change, len(rows))
	for i, row := range rows {
		change := &c.Changes[i]
		change.Difference = row.difference
		inBaseline[row.baseline], inCandidate[row.candidate] = change, change
	}
	read := func(s Source, changes map[int]*Change, set func(*Change, *result.Row)) error {
		n := 0
		return each(ctx, s, func(r *result.Row) {
			if change := changes[n]; change != nil {
				r.Contexts = nil
				set(change, r)
			}
			n++
		})
	}
	if err := read(baseline, inBaseline, func(c *Change, r *result.Row) { c.Baseline = r }); err != nil {
		return err
	}
	if err := read(candidate, inCandidate, func(c *Change, r *result.Row) { c.Candidate = r }); err != nil {
		return err
	}
	seed := maphash.MakeSeed()
	for i := range c.Changes {
		change := &c.Changes[i]
		was, is := change.Baseline, change.Candidate
		if was == nil || is == nil || was.ID != is.ID || is.Faithfulness-was.Faithfulness != change.Difference {
			return fmt.Errorf("%s or %s changed while being read", baseline.Name, candidate.Name)
		}
		change.Claims = slices.Clip(matchClaims(claimDigests(seed, was), claimDigests(seed, is)))
	}
	return nil
}

// A rowKey identifies a row of a run: the n-th with this id, from 0.
type rowKey struct {
	id string
	n  int
}

// A rowDigest is what is kept of a row of the baseline while the candidate is read.
type rowDigest struct {
	id                         string
	status                     result.Status
	faithfulness               float64
	question, answer, contexts uint64 // hashes
	claims                     []claimDigest
	group                      string // "" if rows are independent, or for a row without a group
	paired                     bool
}

// A changedRow is a compared row that changed, with its positions in the two runs.
type changedRow struct {
	baseline, candidate int
	difference          float64
	lost, gained        int
}

// A pairing pairs the rows of two runs and counts the differences.
type pairing struct {
	o    *Options
	c    *Comparison
	seed maphash.Seed

	rows         []rowDigest    // of the baseline
	index        map[rowKey]int // of a row of the baseline
	sawBaseline  map[string]int // number of rows by id
	sawCandidate map[string]int

	scored              int // rows of the baseline with a score
	sample              stats.Sample
	groups              stats.Groups
	before, after       stats.Summary // scores of the compared rows
	questions, contexts RowIDs        // paired rows with different questions or contexts
	unscored            map[[2]result.Status]*RowIDs
	changed             []changedRow
}

func (p *pairing) addBaseline(r *result.Row) {
	p.c.Baseline.Add(r.Status)
	key := rowKey{r.ID, p.sawBaseline[r.ID]}
	if p.sawBaseline[r.ID]++; key.n > 0 {
		p.c.Baseline.DuplicateIDs.add(r.ID)
	}
	p.index[key] = len(p.rows)
	p.rows = append(p.rows, p.digest(r))
	if !math.IsNaN(r.Faithfulness) {
		p.scored++
	}
}

func (p *pairing) digest(r *result.Row) rowDigest {
	d := rowDigest{
		id: r.ID, status: r.Status, faithfulness: r.Faithfulness, claims: claimDigests(p.seed, r),
		question: maphash.String(p.seed, r.Question), answer: maphash.String(p.seed, r.Answer),
		contexts: p.hash(r.Contexts),
	}
	if p.o.Cluster != "" {
		d.group = strings.Clone(report.ColumnValue(r, p.o.Cluster)) // the row can be freed
	}
	return d
}

func (p *pairing) hash(texts []string) uint64 {
	var h maphash.Hash
	h.SetSeed(p.seed)
	for _, s := range texts {
		maphash.WriteComparable(&h, s)
	}
	return h.Sum64()
}

// addCandidate adds a row of the candidate. All rows of the baseline must have been added.
func (p *pairing) addCandidate(r *result.Row) {
	candidate := p.c.Candidate.Rows
	p.c.Candidate.Add(r.Status)
	key := rowKey{r.ID, p.sawCandidate[r.ID]}
	if p.sawCandidate[r.ID]++; key.n > 0 {
		p.c.Candidate.DuplicateIDs.add(r.ID)
	}
	baseline, ok := p.index[key]
	if !ok {
		p.c.OnlyCandidate.add(r.ID)
		return
	}
	old := &p.rows[baseline]
	old.paired = true
	p.compare(changedRow{baseline: baseline, candidate: candidate}, old, p.digest(r))
	old.claims = nil // no longer needed
}

// compare compares a pair of rows. change has their positions.
func (p *pairing) compare(change changedRow, was *rowDigest, is rowDigest) {
	p.c.Paired++
	p.countRegressed(was, is.faithfulness)
	if was.question != is.question {
		p.questions.add(is.id)
	}
	if was.contexts != is.contexts {
		p.contexts.add(is.id)
	}
	if math.IsNaN(was.faithfulness) || math.IsNaN(is.faithfulness) {
		statuses := [2]result.Status{was.status, is.status}
		if p.unscored[statuses] == nil {
			p.unscored[statuses] = &RowIDs{}
		}
		p.unscored[statuses].add(is.id)
		return
	}
	d := is.faithfulness - was.faithfulness
	p.c.Compared++
	p.c.Histogram[bin(d)]++
	switch {
	case d > slack:
		p.c.Better++
	case d < -slack:
		p.c.Worse++
	default:
		p.c.Same++
	}
	p.before.Add(was.faithfulness)
	p.after.Add(is.faithfulness)
	if p.o.Cluster == "" {
		p.sample.Add(d, 1)
	} else {
		name := strconv.Itoa(p.c.Compared) // a row without a group is its own
		if was.group != "" {
			name = "=" + was.group
		}
		p.groups.Add(name, d, 1)
	}
	if was.answer == is.answer {
		p.c.SameAnswers++
	}
	change.difference = d
	change.lost, change.gained = p.countClaims(was.claims, is.claims)
	if math.Abs(d) > slack || change.lost+change.gained > 0 {
		p.changed = append(p.changed, change)
	}
}

// countRegressed counts a row of the baseline if its faithfulness in the candidate is
// lower, or NaN because it has no score there.
func (p *pairing) countRegressed(was *rowDigest, is float64) {
	if !math.IsNaN(was.faithfulness) && !(is >= was.faithfulness-slack) {
		p.c.Regressed.add(was.id)
	}
}

// countClaims counts claims and returns how many are no longer and newly supported.
func (p *pairing) countClaims(was, is []claimDigest) (lost, gained int) {
	c := &p.c.Claims
	for _, m := range matchClaims(was, is) {
		switch m.Outcome {
		case OnlyBaseline:
			c.OnlyBaseline.add(was[m.Baseline])
			continue
		case OnlyCandidate:
			c.OnlyCandidate.add(is[m.Candidate])
			continue
		case Lost:
			lost++
		case Gained:
			gained++
		case Unchanged:
		}
		c.Matched++
	}
	c.Lost += lost
	c.Gained += gained
	p.c.Baseline.countClaims(was)
	p.c.Candidate.countClaims(is)
	return lost, gained
}

// finish completes the comparison without the changed rows, which must be read again.
func (p *pairing) finish() {
	c := p.c
	for i := range p.rows {
		if !p.rows[i].paired {
			c.OnlyBaseline.add(p.rows[i].id)
			p.countRegressed(&p.rows[i], math.NaN())
		}
	}
	for statuses, rows := range p.unscored {
		c.Unscored = append(c.Unscored, Transition{statuses[0], statuses[1], *rows})
	}
	slices.SortFunc(c.Unscored, func(a, b Transition) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	c.Baseline.Duplicates, c.Candidate.Duplicates = c.Baseline.DuplicateIDs.Count, c.Candidate.DuplicateIDs.Count
	c.Baseline.Mean, c.Candidate.Mean = p.before.Mean(), p.after.Mean()
	sample := &p.sample
	if c.Units == GroupUnits {
		sample = p.groups.Sample()
	}
	c.Comparison = stats.Compare(sample, stats.Options{Confidence: 1 - p.o.Alpha, Seed: p.o.Seed})
	c.Changed = len(p.changed)
}

// worst returns at most limit changed rows, worst first.
func (p *pairing) worst(limit int) []changedRow {
	slices.SortFunc(p.changed, func(a, b changedRow) int {
		return cmp.Or(
			cmp.Compare(math.Round(a.difference/slack), math.Round(b.difference/slack)),
			cmp.Compare(b.lost-b.gained, a.lost-a.gained),
			cmp.Compare(a.candidate, b.candidate),
		)
	})
	return p.changed[:min(len(p.changed), limit)]
}
