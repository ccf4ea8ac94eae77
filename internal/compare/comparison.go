package compare

import (
	"hash/maphash"
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// Options configure a comparison. The zero value treats rows as independent, uses 95%
// confidence intervals and has no gate.
type Options struct {
	Alpha   float64  // significance level; the confidence of intervals is 1 - Alpha; 0 means 0.05
	MaxDrop *float64 // largest drop of the mean that passes the gate; nil for no gate
	// MaxRegressed is the largest number of regressed rows that passes the gate, if any.
	MaxRegressed *int
	Seed         uint64 // seed of the resampling
	// Cluster is the kept column, or field of report.GroupFields, by whose value in the
	// baseline rows are grouped; "" means that rows are independent.
	Cluster string
	// MaxChanges limits Comparison.Changes; 0 means 1,000.
	MaxChanges int
	Ragfaith   string // version of the program, for JSON
}

// RowIDs counts rows and lists the ids of the first ones.
type RowIDs struct {
	Count int      `json:"count"`
	First []string `json:"first"`
}

func (r *RowIDs) add(id string) {
	const maxFirst = 5
	r.Count++
	if len(r.First) < maxFirst {
		r.First = append(r.First, id)
	}
}

// String lists the first ids on one line and the number of further ones.
func (r RowIDs) String() string {
	const maxLength = 40 // characters of an id
	ids := make([]string, len(r.First))
	for i, id := range r.First {
		ids[i] = report.Clip(id, maxLength)
	}
	return report.FirstOf(ids, r.Count)
}

// A Side describes one of the two runs.
type Side struct {
	Name string `json:"file"`
	report.RowCounts
	Duplicates int             `json:"duplicates"` // number of DuplicateIDs
	Summary    *report.Summary `json:"-"`

	DuplicateIDs RowIDs `json:"-"` // rows with the id of an earlier row

	// Mean, Claims and Supported cover only the compared rows.
	Mean      float64 `json:"mean"` // mean faithfulness; NaN without rows
	Claims    int     `json:"claims"`
	Supported int     `json:"supported"`
}

func (s *Side) countClaims(claims []claimDigest) {
	for _, c := range claims {
		if !c.unjudged {
			s.Claims++
			if c.supported {
				s.Supported++
			}
		}
	}
}

// Claims counts the claims of the compared rows.
type Claims struct {
	Matched       int       `json:"matched"` // in both runs
	Lost          int       `json:"lost"`    // supported in the baseline only
	Gained        int       `json:"gained"`  // supported in the candidate only
	OnlyBaseline  Unmatched `json:"only_baseline"`
	OnlyCandidate Unmatched `json:"only_candidate"`
}

// Unmatched counts the claims of a run without a match in the other one.
type Unmatched struct {
	Total     int `json:"total"`
	Supported int `json:"supported"`
}

func (u *Unmatched) add(c claimDigest) {
	u.Total++
	if c.supported {
		u.Supported++
	}
}

// A Transition counts paired rows without a score in at least one run, by their statuses.
type Transition struct {
	From result.Status `json:"baseline"`
	To   result.Status `json:"candidate"`
	RowIDs
}

// Rows counts the rows of a comparison.
type Rows struct {
	Paired        int          `json:"paired"`   // in both runs
	Compared      int          `json:"compared"` // paired rows with a score in both runs
	Better        int          `json:"better"`   // compared rows, by score
	Worse         int          `json:"worse"`
	Same          int          `json:"same"`
	SameAnswers   int          `json:"same_answers"`  // compared rows with equal answers
	OnlyBaseline  RowIDs       `json:"only_baseline"` // rows without a pair
	OnlyCandidate RowIDs       `json:"only_candidate"`
	Unscored      []Transition `json:"unscored"`
	Regressed     RowIDs       `json:"regressed"` // rows that lost a part of their faithfulness, or all of it
}

// A Comparison is the result of comparing two runs.
type Comparison struct {
	Baseline  Side      `json:"baseline"`
	Candidate Side      `json:"candidate"`
	Warnings  []Warning `json:"warnings"`
	Rows      `json:"rows"`
	Units     Units `json:"units"`

	// The statistics are over Units, with intervals of confidence 1 - Alpha.
	stats.Comparison

	Claims  Claims   `json:"claims"`
	Gate    *Gate    `json:"gate"`     // nil without Options.MaxDrop
	RowGate *RowGate `json:"row_gate"` // nil without Options.MaxRegressed
	Passed  bool     `json:"passed"`   // all gates passed
	Changed int      `json:"changed"`  // compared rows with another score or another verdict on a claim
	Changes []Change `json:"changes"`  // the worst changed rows, worst first

	Alpha     float64 `json:"-"`
	ragfaith  string
	Histogram [Bins]int `json:"-"` // compared rows by difference
}

// A Gate is the outcome of Options.MaxDrop.
type Gate struct {
	MaxDrop float64 `json:"max_drop"`
	Drop    float64 `json:"drop"` // drop of the mean faithfulness; negative for a gain, NaN if nothing was compared
	P       float64 `json:"p"`    // two-sided p-value of the permutation test; NaN if nothing was compared
	Alpha   float64 `json:"alpha"`
	Passed  bool    `json:"passed"`
	Text    string  `json:"text"` // describes the outcome
	Note    string  `json:"note"` // warns that there were too few rows to detect a drop of MaxDrop; optional
}

// A RowGate is the outcome of Options.MaxRegressed.
type RowGate struct {
	Max    int    `json:"max_regressed_rows"`
	Passed bool   `json:"passed"`
	Text   string `json:"text"` // describes the outcome
}

// Gates returns the outcomes of all gates.
func (c *Comparison) Gates() []report.Gate {
	var all []report.Gate
	if g := c.Gate; g != nil {
		all = append(all, report.Gate{Text: g.Text, Passed: g.Passed})
	}
	if g := c.RowGate; g != nil {
		all = append(all, report.Gate{Text: g.Text, Passed: g.Passed})
	}
	return all
}

// Units are the independent units of the statistics.
type Units string

// The kinds of units.
const (
	RowUnits   Units = "rows"
	GroupUnits Units = "groups" // of rows, by Options.Cluster
)

// A Kind is the subject of a Warning.
type Kind string

// The kinds of warnings.
const (
	Settings   Kind = "settings"   // an option that affects results differs
	Version    Kind = "version"    // the version of ragfaith differs
	Summary    Kind = "summary"    // a summary is missing
	Questions  Kind = "questions"  // rows with the same id have different questions
	Contexts   Kind = "contexts"   // rows with the same id have different contexts
	Unpaired   Kind = "unpaired"   // rows are only in one run
	Unscored   Kind = "unscored"   // rows have a score in only one run
	Duplicates Kind = "duplicates" // several rows have the same id
)

// A Warning is a reason why two runs may not be comparable.
type Warning struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"` // one line, printable
}

// Bins is the number of bins in a histogram of differences: ten of width 0.1 for drops,
// largest first, one for no difference, and ten for gains.
const Bins = 21

// slack is the rounding error allowed between equal scores.
const slack = 1e-9

// Bin returns the bin of c in a histogram.
func (c *Change) Bin() int { return bin(c.Difference) }

// bin returns the bin of a difference. A drop of 0.1 belongs to the bin of drops from 0 to 0.1.
func bin(d float64) int {
	const middle = Bins / 2
	if math.Abs(d) <= slack {
		return middle
	}
	step := min(max(int(math.Ceil(math.Abs(d)*middle-slack)), 1), middle)
	if d < 0 {
		return middle - step
	}
	return middle + step
}

// Schema is the URL of the JSON Schema of a comparison.
const Schema = "https://raw.githubusercontent.com/ragfaith/ragfaith/main/schema/compare.schema.json"

// schemaVersion is the version of the format.
const schemaVersion = 1

type jsonChange struct {
	ID             string     `json:"id"`
	Question       string     `json:"question"`
	BaselineIndex  int        `json:"baseline_index"`
	CandidateIndex int        `json:"candidate_index"`
	Baseline       float64    `json:"baseline"`
	Candidate      float64    `json:"candidate"`
	Difference     float64    `json:"difference"`
	OnlyBaseline   int        `json:"only_baseline"`
	OnlyCandidate  int        `json:"only_candidate"`
	Flipped        []jsonFlip `json:"flipped"`
}

type jsonFlip struct {
	Baseline  jsonClaim `json:"baseline"`
	Candidate jsonClaim `json:"candidate"`
}

type jsonClaim struct {
	ID      int     `json:"id"`
	Text    string  `json:"text"`
	Verdict string  `json:"verdict"`
	Score   float64 `json:"score"`
	Reason  string  `json:"reason"`
}

// JSON returns c as an indented object.
func (c *Comparison) JSON() ([]byte, error) {
	return report.EncodeJSON(struct {
		Schema   string `json:"$schema"`
		Version  int    `json:"version"`
		Ragfaith string `json:"ragfaith"`
		*Comparison
	}{Schema, schemaVersion, c.ragfaith, c}, json.FormatNilSliceAsNull(false))
}

// MarshalJSONTo writes the scores of the row and the claims whose verdict changed.
func (c *Change) MarshalJSONTo(e *jsontext.Encoder) error {
	j := jsonChange{
		c.Candidate.ID, c.Candidate.Question, c.Baseline.Index, c.Candidate.Index,
		c.Baseline.Faithfulness, c.Candidate.Faithfulness, c.Difference, c.Count(OnlyBaseline), c.Count(OnlyCandidate), nil,
	}
	for _, m := range c.Claims {
		if m.Flipped() {
			j.Flipped = append(j.Flipped, jsonFlip{claim(c.Baseline, m.Baseline), claim(c.Candidate, m.Candidate)})
		}
	}
	return json.MarshalEncode(e, j)
}

func claim(r *result.Row, i int) jsonClaim {
	c := &r.Claims[i]
	return jsonClaim{c.ID, c.Judged(), string(c.Verdict), c.Score, c.Reason}
}

// A Change is a compared row whose score changed, or the verdict on one of its claims.
type Change struct {
	Baseline, Candidate *result.Row // without contexts
	Difference          float64     // faithfulness of the candidate minus that of the baseline
	// Claims has the claims of the candidate in order, then those only in the baseline.
	Claims []Match
}

// A Match is a claim by its index in each run; -1 if the run does not have it.
type Match struct {
	Baseline, Candidate int
	Outcome             Outcome
}

// An Outcome is how a claim of one run compares with that of the other.
type Outcome int

// The outcomes. Claims that are unjudged in one run are unchanged.
const (
	Unchanged     Outcome = iota
	Lost                  // supported in the baseline only
	Gained                // supported in the candidate only
	OnlyBaseline          // without a match in the candidate
	OnlyCandidate         // without a match in the baseline
)

// Flipped reports whether the verdict changed between supported and not supported.
func (m Match) Flipped() bool { return m.Outcome == Lost || m.Outcome == Gained }

// Count returns the number of claims with an outcome.
func (c *Change) Count(o Outcome) int {
	n := 0
	for _, m := range c.Claims {
		if m.Outcome == o {
			n++
		}
	}
	return n
}

// A claimDigest is what is kept of a claim to match it with those of the other run.
type claimDigest struct {
	text      uint64 // hash of the judged text
	supported bool
	unjudged  bool
}

func (c claimDigest) outcome(is claimDigest) Outcome {
	switch {
	case c.unjudged || is.unjudged || c.supported == is.supported:
		return Unchanged
	case c.supported:
		return Lost
	}
	return Gained
}

func claimDigests(seed maphash.Seed, r *result.Row) []claimDigest {
	if len(r.Claims) == 0 {
		return nil
	}
	digests := make([]claimDigest, len(r.Claims))
	for i := range r.Claims {
		c := &r.Claims[i]
		digests[i] = claimDigest{maphash.String(seed, c.Judged()), c.Verdict == result.Supported, c.Verdict == result.Unjudged}
	}
	return digests
}

// matchClaims matches claims by text, claims with equal texts in order. The result has the
// claims of the candidate in order, then the unmatched ones of the baseline.
func matchClaims(was, is []claimDigest) []Match {
	unmatched := make(map[uint64][]int, len(was)) // claims of the baseline by text
	for i, c := range was {
		unmatched[c.text] = append(unmatched[c.text], i)
	}
	matches := make([]Match, 0, max(len(was), len(is)))
	matched := make([]bool, len(was))
	for i, c := range is {
		m := Match{-1, i, OnlyCandidate}
		if found := unmatched[c.text]; len(found) > 0 {
			m.Baseline, m.Outcome, matched[found[0]] = found[0], was[found[0]].outcome(c), true
			unmatched[c.text] = found[1:]
		}
		matches = append(matches, m)
	}
	for i := range was {
		if !matched[i] {
			matches = append(matches, Match{i, -1, OnlyBaseline})
		}
	}
	return matches
}
