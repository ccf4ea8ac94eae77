package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// ReadSummary reads a Summary as Bytes writes it. A summary that is read and written
// again has the same bytes. Unknown members are ignored; an unknown version is an error.
func ReadSummary(r io.Reader) (*Summary, error) {
	s := &Summary{Claims: SummaryClaims{UncertainShare: NullNumber()}} // summaries of earlier versions have none
	dec := json.NewDecoder(r)
	if err := dec.Decode(s); err != nil {
		return nil, fmt.Errorf("not a summary: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("not a summary: text after the object")
	}
	switch {
	case s.Schema != SummarySchema:
		return nil, errors.New("not a summary, which is what score --summary writes: its $schema is not " + SummarySchema)
	case s.Version != SummaryVersion:
		return nil, fmt.Errorf("a summary of version %d: this ragfaith reads version %d", s.Version, SummaryVersion)
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	return s, nil
}

// check checks that the numbers of s are consistent.
func (s *Summary) check() error {
	rows, claims, usage := s.Rows, s.Claims, s.Usage
	if s.Spent != nil {
		usage = s.Spent.Usage
	}
	if min(rows.Total, rows.Scored, rows.NoClaims, rows.Refusal, rows.Empty, rows.NothingClaimed, rows.Unjudged, rows.Failed, rows.Skipped, rows.NoContexts,
		claims.Total, claims.Supported, claims.Contradicted, claims.NotMentioned, claims.Unjudged,
		usage.Requests, usage.PromptTokens, usage.CompletionTokens, usage.CachedRequests,
		s.Usage.Requests, s.Usage.PromptTokens, s.Usage.CompletionTokens, s.Usage.CachedRequests) < 0 {
		return errors.New("a negative number of rows, claims, requests or tokens")
	}
	for m, n := range rows.Marks {
		if n < 1 || n > rows.Total {
			return fmt.Errorf("rows.marks: %s: got %d, want 1 to %d", m, n, rows.Total)
		}
	}
	if err := s.Citations.check(rows.Total); err != nil {
		return err
	}
	if err := s.Prescreen.check(claims.Total); err != nil {
		return err
	}
	for i := range s.By {
		if err := s.By[i].check(rows.Total); err != nil {
			return fmt.Errorf("by: column %q: %w", s.By[i].Column, err)
		}
	}
	if s.Spent != nil && s.Spent.USD < 0 {
		return fmt.Errorf("spent.usd: got %v, want 0 or more", s.Spent.USD)
	}
	for _, x := range []struct {
		what       string
		got        int
		parts      string
		a, b, more int
	}{
		{"rows.total", rows.Total - rows.Skipped - rows.Unjudged, "scored, no_claims and failed, without skipped and unjudged", rows.Scored, rows.NoClaims, rows.Failed},
		{"rows.no_claims", rows.NoClaims, "refusal, empty and nothing_claimed", rows.Refusal, rows.Empty, rows.NothingClaimed},
		{"claims.total", claims.Total, "supported, contradicted and not_mentioned", claims.Supported, claims.Contradicted, claims.NotMentioned},
		{"support.count", s.Support.Count, "rows.scored", rows.Scored, 0, 0},
	} {
		// Comparing each part first avoids overflow.
		if max(x.a, x.b, x.more) > x.got || x.a > x.got-x.b || x.a+x.b != x.got-x.more {
			return fmt.Errorf("%s: got %d, want the sum of %s", x.what, x.got, x.parts)
		}
	}
	if rows.NoContexts < rows.Skipped || rows.NoContexts-rows.Skipped > rows.Scored {
		return fmt.Errorf("rows.no_contexts: got %d, want %d to %d", rows.NoContexts, rows.Skipped, rows.Skipped+rows.Scored)
	}
	want := float64(rows.NoClaims) / float64(rows.Scored+rows.NoClaims+rows.Unjudged)
	if got := float64(rows.NoClaimsShare); !(math.Abs(got-want) <= 1e-9) && !(math.IsNaN(got) && math.IsNaN(want)) {
		return fmt.Errorf("rows.no_claims_share: got %v, want %v, the share of no_claims among the rows that did not fail", got, want)
	}
	if rows.UnjudgedShare < 0 || rows.UnjudgedShare > 1 {
		return fmt.Errorf("rows.unjudged_share: got %v, want a number from 0 to 1", rows.UnjudgedShare)
	}
	share := float64(claims.UncertainShare)
	if n := claims.Confident; n < 0 || n > claims.Total || (n == 0) != math.IsNaN(share) || share < 0 || share > 1 {
		return fmt.Errorf("claims.with_confidence and uncertain_share: got %d and %v, want 0 to %d and a number from 0 to 1, or 0 and null", n, share, claims.Total)
	}
	if n := s.Faithfulness.Count; n < rows.Scored || n > rows.Scored+rows.NoClaims {
		return fmt.Errorf("faithfulness.count: got %d, want %d to %d", n, rows.Scored, rows.Scored+rows.NoClaims)
	}
	for _, f := range []*SummaryStats{&s.Faithfulness, &s.Support} {
		for _, x := range []Number{f.Mean, f.Std, f.Min, f.P25, f.P50, f.P75, f.Max} {
			if x < 0 || x > 1 {
				return fmt.Errorf("faithfulness and support: got %v, want numbers from 0 to 1", x)
			}
		}
		const slack = 1e-9 // rounding errors of a mean
		ordered := []Number{f.Min, f.P25, f.P50, f.P75, f.Max}
		for i := 1; i < len(ordered); i++ {
			if ordered[i-1] > ordered[i] {
				return fmt.Errorf("faithfulness and support: got %v below %v, want min, quartiles and max in their order", ordered[i], ordered[i-1])
			}
		}
		if f.Min > f.Mean+slack || f.Mean > f.Max+slack {
			return fmt.Errorf("faithfulness and support: got the mean %v, want one from %v to %v", f.Mean, f.Min, f.Max)
		}
	}
	return nil
}

// UnmarshalJSON reads a number or null.
func (f *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*f = NullNumber()
		return nil
	}
	return json.Unmarshal(text, (*float64)(f))
}

// check checks the ranges of the numbers.
func (s *SummaryCitations) check(rows int) error {
	switch {
	case s == nil:
		return nil
	case s.Rows < 1 || s.Rows > rows || s.Unresolved < 0:
		return fmt.Errorf("citations: got %d rows and %d unresolved, want 1 to %d rows and no negative number", s.Rows, s.Unresolved, rows)
	case s.Recall < 0 || s.Recall > 1 || s.Precision < 0 || s.Precision > 1:
		return fmt.Errorf("citations: got recall %v and precision %v, want numbers from 0 to 1", s.Recall, s.Precision)
	}
	return nil
}

// check checks that the groups have all rows.
func (s *SummaryBy) check(rows int) error {
	groups := s.Groups
	if s.Other != nil {
		groups = append(slices.Clip(groups), *s.Other)
	}
	for i := range groups {
		g := &groups[i]
		if min(g.Scored, g.NoClaims, g.Unjudged, g.Failed, g.Skipped) < 0 || max(g.Scored, g.NoClaims, g.Unjudged, g.Failed, g.Skipped) > g.Rows ||
			g.Rows-g.Scored-g.NoClaims-g.Unjudged-g.Skipped != g.Failed {
			return fmt.Errorf("got %d rows, want the sum of scored, no_claims, unjudged, failed and skipped", g.Rows)
		}
		if g.Rows > rows {
			return errors.New("got more rows than the run has")
		}
		rows -= g.Rows
	}
	if rows > 0 {
		return fmt.Errorf("got %d rows less than the run has", rows)
	}
	return nil
}
