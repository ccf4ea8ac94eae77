// Command cascade measures score --prescreen on suites with human labels, and prints a
// Markdown table. The odd rows of each suite fit the bounds, the even rows are reported.
//
// The language model is a server that knows the labels: it supports every claim of a row
// labelled 1, and no claim of a row labelled 0.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/ragfaith/ragfaith/internal/llm/quirktest"
)

func main() {
	binary := flag.String("ragfaith", "bin/ragfaith", "path of the ragfaith binary")
	data := flag.String("data", "", "dataset in JSONL with the columns suite and label")
	judge := flag.String("judge", "lexical", "offline judge")
	maxError := flag.String("max-error", "5%", "error of the bounds")
	suites := flag.String("suites", "", "suites to report, separated by commas")
	flag.Parse()
	if err := run(os.Stdout, *binary, *data, *judge, *maxError, strings.Split(*suites, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "cascade:", err)
		os.Exit(1)
	}
}

// A row is a row of the dataset; raw is its line.
type row struct {
	Suite, Answer string
	Contexts      []string
	Label         int
	raw           []byte
}

// A bench runs the binary in a temporary directory.
type bench struct {
	binary, dir, judge, maxError, url string
}

func run(w io.Writer, binary, data, judge, maxError string, suites []string) error {
	rows, err := read(data)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "cascade")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if binary, err = filepath.Abs(binary); err != nil {
		return err
	}
	model := newModel(rows)
	server := httptest.NewServer(quirktest.New(model.answer))
	defer server.Close()
	b := bench{binary, dir, judge, maxError, server.URL + "/v1"}

	var fitted []byte // odd rows of all suites
	odd, even := map[string][]byte{}, map[string][]byte{}
	for _, suite := range suites {
		n := 0
		for i := range rows {
			if rows[i].Suite != suite {
				continue
			}
			half := odd
			if n++; n%2 == 0 {
				half = even
			}
			half[suite] = append(half[suite], rows[i].raw...)
		}
		fitted = append(fitted, odd[suite]...)
	}
	pooled, err := b.calibrate("all", fitted)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "| suite | rows | agreement of %s | of the model | bounds of the suite: decided | agreement | tokens saved | audited claims agree | bounds of all suites: decided | agreement | tokens saved |\n|---|---|---|---|---|---|---|---|---|---|---|\n", judge)
	for _, suite := range suites {
		own, err := b.calibrate(suite, odd[suite])
		if err != nil {
			return err
		}
		offline, err := b.score(suite, even[suite], "--judge", judge)
		if err != nil {
			return err
		}
		full, err := b.score(suite, even[suite], "--judge", "llm")
		if err != nil {
			return err
		}
		cells := []string{suite, strconv.Itoa(full.rows), percent(offline.agreed, offline.rows), percent(full.agreed, full.rows)}
		for i, calibration := range []string{own, pooled} {
			cascade, err := b.score(suite, even[suite], "--judge", "llm", "--prescreen", judge, "--calibration", calibration)
			switch {
			case errors.Is(err, errNoBounds):
				cells = append(cells, "none", "", "")
			case err != nil:
				return err
			default:
				cells = append(cells, percent(cascade.decided, cascade.claims), percent(cascade.agreed, cascade.rows), percent(full.tokens-cascade.tokens, full.tokens))
			}
			if i == 0 {
				cells = append(cells, fmt.Sprintf("%d of %d", cascade.auditAgreed, cascade.audited))
			}
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
	}
	if n := model.unknown.Load(); n > 0 {
		fmt.Fprintf(os.Stderr, "cascade: %d requests with other contexts than those of a row: no claim was supported\n", n)
	}
	return nil
}

// read reads a dataset.
func read(path string) ([]row, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var rows []row
	for r := bufio.NewReader(f); ; {
		line, err := r.ReadBytes('\n')
		if len(line) > 0 {
			x := row{raw: line}
			if err := json.Unmarshal(line, &x); err != nil {
				return nil, fmt.Errorf("%s: row %d: %w", path, len(rows), err)
			}
			rows = append(rows, x)
		}
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// calibrate fits the bounds to labelled rows, and returns the path of the calibration.
func (b *bench) calibrate(name string, rows []byte) (string, error) {
	in, out := filepath.Join(b.dir, "in.jsonl"), filepath.Join(b.dir, name+".json")
	results := filepath.Join(b.dir, "fit.jsonl")
	if err := os.WriteFile(in, rows, 0o600); err != nil {
		return "", err
	}
	if _, err := b.ragfaith("score", in, "--judge", b.judge, "--keep", "label", "-o", results, "--summary", filepath.Join(b.dir, "fit.summary.json")); err != nil {
		return "", err
	}
	_, err := b.ragfaith("calibrate", results, "--label", "label", "--max-error", b.maxError, "-o", out)
	return out, err
}

// outcome are the figures of a run. A row agrees if all its claims are supported and its
// label is 1, or neither.
type outcome struct {
	rows, agreed, claims, decided, audited, auditAgreed, tokens int
}

// errNoBounds is returned if a calibration decides nothing.
var errNoBounds = errors.New("no bounds")

func (b *bench) score(suite string, rows []byte, flags ...string) (outcome, error) {
	var o outcome
	in, out, summary := filepath.Join(b.dir, "in.jsonl"), filepath.Join(b.dir, "out.jsonl"), filepath.Join(b.dir, "out.summary.json")
	if err := os.WriteFile(in, rows, 0o600); err != nil {
		return o, err
	}
	args := append([]string{"score", in, "--keep", "label", "-o", out, "--summary", summary}, flags...)
	if flags[1] == "llm" {
		args = append(args, "--base-url", b.url, "--header", "Suite: "+suite, "--no-cache")
	}
	if message, err := b.ragfaith(args...); err != nil {
		if strings.Contains(message, "no bounds: supported:") {
			return o, errNoBounds
		}
		return o, err
	}
	results, err := os.ReadFile(out)
	if err != nil {
		return o, err
	}
	for line := range bytes.Lines(results) {
		var r struct {
			Faithfulness float64
			Status       string
			Label        int
		}
		if err := json.Unmarshal(line, &r); err != nil {
			return o, err
		}
		if r.Status == "scored" {
			o.rows++
			if (r.Faithfulness == 1) == (r.Label == 1) {
				o.agreed++
			}
		}
	}
	var s struct {
		Claims    struct{ Total int }
		Prescreen struct{ Decided, Audited, Agreed int }
		Spent     struct {
			Prompt     int `json:"prompt_tokens"`
			Completion int `json:"completion_tokens"`
		}
	}
	content, err := os.ReadFile(summary)
	if err != nil {
		return o, err
	}
	err = json.Unmarshal(content, &s)
	o.claims, o.decided, o.audited, o.auditAgreed = s.Claims.Total, s.Prescreen.Decided, s.Prescreen.Audited, s.Prescreen.Agreed
	o.tokens = s.Spent.Prompt + s.Spent.Completion
	return o, err
}

// ragfaith runs the binary and returns what it wrote to standard error.
func (b *bench) ragfaith(args ...string) (string, error) {
	cmd := exec.Command(b.binary, append(args, "-q", "--to", "none", "--config", "none")...) //nolint:gosec,noctx // the user names the binary and can interrupt it
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY=none")
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", b.binary, strings.Join(args, " "), err, out)
	}
	return string(out), err
}

// percent formats a share.
func percent(n, of int) string {
	return strconv.FormatFloat(100*float64(n)/float64(of), 'f', 1, 64) + "%"
}

// A model knows the labels of rows.
type model struct {
	byContexts map[string][]row
	unknown    atomic.Int64 // requests that match no row
}

func newModel(rows []row) *model {
	m := &model{byContexts: map[string][]row{}}
	for _, r := range rows {
		key := r.Suite + "\n" + contextKey(r.Contexts)
		m.byContexts[key] = append(m.byContexts[key], r)
	}
	return m
}

// contextKey identifies contexts by their words, which prompts keep.
func contextKey(contexts []string) string {
	return strings.Join(strings.Fields(strings.Join(contexts, " ")), " ")
}

// answer is a quirk of the server: it replaces the verdicts by those of the label.
func (m *model) answer(next quirktest.Handler) quirktest.Handler {
	return func(c *quirktest.Call) *quirktest.Answer {
		var prompt struct {
			Chunks, Claims []struct {
				ID   int
				Text string
			}
		}
		_ = json.NewDecoder(strings.NewReader(c.User)).Decode(&prompt) // on failure, nothing matches
		var contexts []string
		for _, chunk := range prompt.Chunks {
			contexts = append(contexts, chunk.Text)
		}
		found := m.byContexts[c.Header.Get("Suite")+"\n"+contextKey(contexts)]
		if len(found) == 0 {
			m.unknown.Add(1)
		}
		// Of several answers with these contexts, the claims are from the one with most of
		// their words and fewest others.
		label, most := "not_mentioned", math.MinInt
		for _, r := range found {
			n := -len(strings.Fields(r.Answer))
			for _, claim := range prompt.Claims {
				if strings.Contains(r.Answer, claim.Text) {
					n += len(r.Answer)
				}
				for _, word := range strings.Fields(claim.Text) {
					if strings.Contains(r.Answer, word) {
						n += 2
					}
				}
			}
			if n > most {
				most, label = n, map[bool]string{true: "supported", false: "not_mentioned"}[r.Label == 1]
			}
		}
		var verdicts []any
		for _, claim := range prompt.Claims {
			verdicts = append(verdicts, map[string]any{"claim_id": claim.ID, "chunk_ids": []int{}, "quote": "", "reason": "as labelled", "verdict": label})
		}
		content, _ := json.Marshal(map[string]any{"verdicts": verdicts}) // strings and integers
		a := next(c)
		a.Content, a.CompletionTokens = string(content), len(content)/4
		return a
	}
}
