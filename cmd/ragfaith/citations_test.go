package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A citedRow holds the result of a row of testdata/citations.jsonl. Want lists the
// expected citations of each claim as chunk and verdict, such as "0+ 1-": + means
// supported, - not mentioned, x contradicted, and ? an unresolved citation.
type citedRow struct {
	ID, Answer string
	Want       []string
	Claims     []struct {
		Citations []struct {
			Text       string
			Start, End int
			Chunk      *int
			Verdict    *string
		}
	}
	Recall     *float64 `json:"citation_recall"`
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

func TestCitationsOfEveryKindAreJudged(t *testing.T) {
	t.Parallel()
	file := filepath.Join("testdata", "citations.jsonl")
	res := mustRun(t, t.TempDir(), nil, "score", file, "--to", "jsonl", "-q", "--keep", "want")
	rows, citing, unresolved := 0, 0, 0
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
	}
	if rows < 25 {
		t.Fatalf("got %d rows, want at least 25", rows)
	}
	table := runInProcess(t, t.TempDir(), nil, "score", file, "-q")
	want := fmt.Sprintf("(%d of %d rows cite, %d citations resolve to nothing)\n", citing, rows, unresolved)
	if !strings.Contains(table.stdout, want) {
		t.Errorf("got %s\nwant %s", table.stdout, want)
	}
}
