// Package view shows a comparison of two runs: as a table in a terminal, as
// Markdown for a pull request, and as JSON for a program.
package view

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/compare"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// Difference is the difference of the means in words, with its interval or why
// there is none.
func Difference(c *compare.Comparison) string {
	d := &c.Figures.Difference
	if d.N == 0 {
		return "nothing is compared"
	}
	return Signed(d.Estimate) + ", " + Interval(c)
}

// Interval is that of the difference, or why there is none.
func Interval(c *compare.Comparison) string {
	d := &c.Figures.Difference
	if !d.Reliable() {
		return "no interval: " + d.Note
	}
	text := fmt.Sprintf("%s interval %s to %s", percent(d.Confidence), Signed(d.Lower), Signed(d.Upper))
	if d.Note != "" {
		text += " (" + d.Note + ")"
	}
	return text
}

// Tests are the p-values in words.
func Tests(c *compare.Comparison) string {
	return fmt.Sprintf("%s (%s), %s (Wilcoxon)", compare.PValue(c.Figures.Permutation.TwoSided), permutation(c.Figures.Permutation), compare.PValue(c.Figures.Wilcoxon.TwoSided))
}

func permutation(t stats.Test) string {
	if t.Exact {
		return "exact permutation"
	}
	return "permutation"
}

// Detectable is the difference that so many units find, in words.
func Detectable(c *compare.Comparison) string {
	d := c.Figures.Detectable
	if math.IsNaN(d) {
		return "unknown: too few rows differ"
	}
	return fmt.Sprintf("%.4f, with a probability of 0.8", d)
}

// Units are what the figures count.
func Units(c *compare.Comparison) string {
	text := Count(c.Compared, "row")
	if c.Cluster {
		text = Count(c.Groups, "group") + " of " + text
	}
	return text
}

// Never counts the rows that have a score on neither side, "" for none. Rows that
// one side scored, or that one side alone has, are in the warnings.
func Never(c *compare.Comparison) string {
	n := 0
	var parts []string
	for _, t := range c.Unscored {
		if t.From == t.To {
			n += t.Rows.Count
			parts = append(parts, strings.ReplaceAll(string(t.From), "_", " ")+": "+t.Rows.Names())
		}
	}
	if n == 0 {
		return ""
	}
	return Count(n, "row") + " on both sides (" + strings.Join(parts, "; ") + ")"
}

// Rows counts what a side holds.
func Rows(s *compare.Side) string {
	return fmt.Sprintf("%s: scored %d, no claims %d, failed %d", Count(s.Rows, "row"), s.Scored, s.NoClaims, s.Failed)
}

// Flips says what became of the claims that both sides have.
func Flips(c *compare.Comparison) string {
	return fmt.Sprintf("%d no longer supported, %d newly supported, of %d on both sides", c.Claims.Lost, c.Claims.Gained, c.Claims.Matched)
}

// Alone says how many claims one side alone has, "" for none.
func Alone(c *compare.Comparison) string {
	if c.Claims.OnlyBaseline+c.Claims.OnlyCandidate == 0 {
		return ""
	}
	return fmt.Sprintf("%d only in the baseline (%d supported), %d only in the candidate (%d supported)",
		c.Claims.OnlyBaseline, c.Claims.OnlyBaselineSupported, c.Claims.OnlyCandidate, c.Claims.OnlyCandidateSupported)
}

// Change says what became of the claims of one row.
func Change(change *compare.Change) string {
	lost, gained, was, is := change.Count()
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{lost, "no longer supported"}, {gained, "newly supported"}, {was, "gone"}, {is, "new"}} {
		if p.n > 0 {
			parts = append(parts, strconv.Itoa(p.n)+" "+p.what)
		}
	}
	return strings.Join(parts, ", ")
}

// Count writes a number of things.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// Signed writes a difference with four decimals and its sign, none for 0.
func Signed(x float64) string {
	text := strconv.FormatFloat(x, 'f', 4, 64)
	switch {
	case strings.Trim(text, "-0.") == "":
		return strings.TrimPrefix(text, "-")
	case x > 0:
		return "+" + text
	}
	return text
}

// Score writes a mean or a score with four decimals, and a dash for none.
func Score(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return strconv.FormatFloat(x, 'f', 4, 64)
}

func percent(x float64) string { return strconv.FormatFloat(math.Round(x*1e6)/1e4, 'f', -1, 64) + "%" }
