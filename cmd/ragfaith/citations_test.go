package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A citedRow holds the result of a row of testdata/citations.jsonl. Want lists the
// expected citations of each claim as chunk and verdict, such as "0+ 1-": + means
// supported, - not mentioned, x contradicted, and ? an unresolved citation. Joint marks
// the claims that the cited chunks support only together.
type citedRow struct {
	ID, Answer string
	Want       []string
	Joint      []bool
	Claims     []struct {
		Citations []struct {
			Text       string
			Start, End int
			Chunk      *int
			Verdict    *string
		}
	}
	Recall     *float64 `json:"citation_recall"`
	Precision  *float64 `json:"citation_precision"`
	Unresolved *int     `json:"unresolved_citations"`
}

// citations formats the citations of the result like Want.
func (r *citedRow) citations() []string {
	all := []string{}
	for _, c := range r.Claims {
		var cited []string
		for _, x := range c.Citations {
			switch {
			case x.Chunk == nil && x.Verdict == nil:
				cited = append(cited, "?")
			case x.Chunk != nil && x.Verdict != nil:
				sign := map[string]string{"supported": "+", "contradicted": "x", "not_mentioned": "-"}[*x.Verdict]
				cited = append(cited, strconv.Itoa(*x.Chunk)+sign)
			default:
				cited = append(cited, "chunk and verdict are not null together")
			}
		}
		all = append(all, strings.Join(cited, " "))
	}
	return all
}

// alce returns citation recall and precision as defined by ALCE (Gao et al., 2023), based
// on Want and Joint. Undefined values are NaN.
func (r *citedRow) alce() (recall, precision float64) {
	supported, cited, precise := 0, 0, 0
	for i, want := range r.Want {
		cites := strings.Fields(want)
		slices.Sort(cites)
		cites = slices.Compact(cites)
		if len(cites) == 0 || slices.Contains(cites, "?") {
			continue
		}
		cited += len(cites)
		alone := len(slices.DeleteFunc(slices.Clone(cites), func(c string) bool { return !strings.HasSuffix(c, "+") }))
		joint := i < len(r.Joint) && r.Joint[i]
		switch {
		case alone > 0:
			supported++
			precise += alone
		case joint:
			supported++
			precise += len(cites)
		}
	}
	return float64(supported) / float64(len(r.Want)), float64(precise) / float64(cited)
}

func TestCitationsOfEveryKindAreJudged(t *testing.T) {
	t.Parallel()
	file := filepath.Join("testdata", "citations.jsonl")
	res := mustRun(t, t.TempDir(), nil, "score", file, "--to", "jsonl", "-q", "--keep", "want", "--keep", "joint")
	rows, citing, unresolved, recalls, precisions, sum := 0, 0, 0, 0, 0, [2]float64{}
	lines := strings.Split(res.stdout, "\n")
	for i, r := range decodeLines[citedRow](t, res.stdout) {
		rows++
		got := r.citations()
		if fmt.Sprint(got) != fmt.Sprint(r.Want) {
			t.Errorf("%s: got %q, want %q", r.ID, got, r.Want)
		}
		answer := []rune(r.Answer)
		for _, c := range r.Claims {
			for _, x := range c.Citations {
				if string(answer[x.Start:x.End]) != x.Text {
					t.Errorf("%s: got %q at the span of %q", r.ID, x.Text, string(answer[x.Start:x.End]))
				}
			}
		}
		all := strings.Join(r.Want, " ")
		if len(r.Claims) > 0 {
			recalls++
		}
		if strings.TrimSpace(all) == "" {
			if r.Unresolved != nil || r.Recall != nil || strings.Contains(lines[i], `"citation`) {
				t.Errorf("%s: row without citations: got %s", r.ID, lines[i])
			}
			continue
		}
		citing++
		n := strings.Count(all, "?")
		if unresolved += n; *r.Unresolved != n {
			t.Errorf("%s: got %d unresolved, want %d", r.ID, *r.Unresolved, n)
		}
		recall, precision := r.alce()
		if *r.Recall != recall || (r.Precision == nil) != math.IsNaN(precision) || r.Precision != nil && *r.Precision != precision {
			t.Errorf("%s: got %v and %v, want %v and %v", r.ID, *r.Recall, r.Precision, recall, precision)
		}
		sum[0] += recall
		if !math.IsNaN(precision) {
			precisions++
			sum[1] += precision
		}
	}
	if rows < 25 {
		t.Fatalf("got %d rows, want at least 25", rows)
	}
	table := runInProcess(t, t.TempDir(), nil, "score", file, "-q")
	want := fmt.Sprintf("citations       recall %.4f, precision %.4f (%d of %d rows cite, %d citations resolve to nothing)\n", sum[0]/float64(recalls), sum[1]/float64(precisions), citing, rows, unresolved)
	if !strings.Contains(table.stdout, want) {
		t.Errorf("got %s\nwant %s", table.stdout, want)
	}
}
