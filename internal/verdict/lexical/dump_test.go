package lexical

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/segment"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

func TestDump(t *testing.T) {
	j, err := New(Options{Joined: os.Getenv("JOINED") != "", Threshold: 0.5, Sentences: func(text string, y func(a, b int)) {
		for _, x := range segment.Sentences(text, "") {
			y(x.Start, x.End)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	f, _ := os.Open("/tmp/exp/rows.jsonl")
	o, _ := os.Create("/tmp/exp/dump.jsonl")
	defer o.Close()
	w := bufio.NewWriter(o)
	defer w.Flush()
	d := json.NewDecoder(bufio.NewReader(f))
	s := newScratch()
	start := time.Now()
	n := 0
	var spent time.Duration
	for {
		var r struct {
			Suite, ID, Question, Answer string
			Y                           float64
			Contexts, Claims            []string
		}
		if d.Decode(&r) != nil {
			break
		}
		var task verdict.Task
		task.Question, task.Contexts = r.Question, r.Contexts
		for i, c := range r.Claims {
			task.Claims = append(task.Claims, extract.Claim{ID: i, Text: c})
		}
		var sk []string
		if os.Getenv("GOCLAIMS") != "" {
			x, _ := extract.Sentences{}.Extract(t.Context(), r.Question, r.Answer)
			task.Claims = x.Claims
			r.Claims = nil
			for _, c := range x.Claims {
				r.Claims = append(r.Claims, c.Text)
			}
			for _, k := range x.Skipped {
				sk = append(sk, string(k.Kind)+": "+k.Text)
			}
		}
		t0 := time.Now()
		vs, _ := j.Judge(t.Context(), task)
		spent += time.Since(t0)
		j.match(t.Context(), s, task)
		var F []map[string]any
		for i := range s.claims {
			c := &s.claims[i]
			b := c.best
			F = append(F, map[string]any{"wide": b.wide, "near": b.near, "pairs": b.pairs, "mv": b.missingValues, "mn": b.missingNames, "nv": c.values[1] - c.values[0], "s": vs[i].Score, "lab": vs[i].Label.String(), "reason": vs[i].Reason, "ev": func() string {
				if len(vs[i].Evidence) > 0 {
					return vs[i].Evidence[0].Quote
				}
				return ""
			}(), "n": c.terms[1] - c.terms[0]})
		}
		x, _ := json.Marshal(map[string]any{"suite": r.Suite, "id": r.ID, "y": r.Y, "F": F, "cl": r.Claims, "sk": sk})
		w.Write(append(x, '\n'))
		n++
	}
	t.Log(n, time.Since(start), spent)
}
