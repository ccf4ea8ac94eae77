// Command quirks runs ragfaith binaries against a fake server with the quirks of real
// ones, and prints a Markdown table of requests, costs and outcomes. The server itself
// counts requests and tokens. With -before, each cell compares two binaries.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ragfaith/ragfaith/internal/llm/quirktest"
)

// Prices of gpt-4o-mini in USD per token.
const promptPrice, completionPrice = 0.15e-6, 0.60e-6

func main() {
	after := flag.String("ragfaith", "bin/ragfaith", "path of the ragfaith binary")
	before := flag.String("before", "", "path of an earlier binary to compare with")
	rows := flag.String("rows", "testdata/rows.jsonl", "dataset in JSONL")
	only := flag.String("only", "", "run only cases whose name matches this regular expression")
	verbose := flag.Bool("v", false, "print the messages of each run to stderr")
	flag.Parse()
	binaries := []string{*after}
	if *before != "" {
		binaries = []string{*before, *after}
	}
	messages := io.Discard
	if *verbose {
		messages = os.Stderr
	}
	if err := table(os.Stdout, messages, binaries, *rows, *only); err != nil {
		fmt.Fprintln(os.Stderr, "quirks:", err)
		os.Exit(1)
	}
}

// table runs the binaries in each case. Each run has its own cache, and the expected
// scores are those of a run without quirks.
func table(w, messages io.Writer, binaries []string, rows, only string) error {
	match, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "quirks")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	again := filepath.Join(dir, "again.jsonl")
	if err := reword(rows, again); err != nil {
		return err
	}
	fmt.Fprintln(w, "| server | requests | cost | seconds | outcome |\n|---|--:|--:|--:|---|")
	for n, c := range cases() {
		if !match.MatchString(c.name) {
			continue
		}
		var requests, costs, seconds, outcomes []string
		for i, binary := range binaries {
			r := runner{address: "127.0.0.1:0", binary: binary, rows: rows, args: c.args, messages: messages, home: filepath.Join(dir, fmt.Sprint(n, "-", i))}
			if c.second {
				if _, err := r.run(c.quirks()); err != nil {
					return err
				}
				r.rows = again
			}
			fmt.Fprintf(messages, "== %s: %s\n", binary, c.name)
			got, err := r.run(c.quirks())
			if err != nil {
				return err
			}
			r.home, r.messages = r.home+"-clean", io.Discard
			want, err := r.run(nil)
			if err != nil {
				return err
			}
			s := got.stats
			requests = append(requests, strconv.Itoa(s.Requests))
			costs = append(costs, fmt.Sprintf("$%.4f", promptPrice*float64(s.PromptTokens)+completionPrice*float64(s.CompletionTokens)))
			seconds = append(seconds, fmt.Sprintf("%.0f", got.duration.Seconds()))
			outcomes = append(outcomes, got.outcome(want))
			fmt.Fprintf(messages, "== exit code %d, %d requests (%d repeated, at most %d at once), %.1f s\n\n", got.code, s.Requests, s.Repeated, s.MaxInFlight, got.duration.Seconds())
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", c.name, change(requests), change(costs), change(seconds), change(outcomes))
	}
	return nil
}

// change formats the values before and after, or one value if nothing changed.
func change(values []string) string {
	if len(values) == 2 && values[0] == values[1] {
		values = values[:1]
	}
	return strings.Join(values, " → ")
}

// timeLimit is when a run is killed.
const timeLimit = 5 * time.Minute

// A runner runs a binary over a dataset.
type runner struct {
	binary, rows, args string
	home               string // directory with the cache
	address            string // of the server; its port is chosen in the first run
	messages           io.Writer
}

// A result is what a run did.
type result struct {
	stats    quirktest.Stats
	rows     []row
	code     int
	duration time.Duration
}

// A row is a line of `ragfaith score --to jsonl`.
type row struct {
	ID, Status   string
	Faithfulness *float64
	Claims       []struct{ Graded bool }
}

// run scores the dataset with a server that has the quirks.
func (r *runner) run(quirks []quirktest.Quirk) (result, error) {
	server := quirktest.New(quirks...)
	listener, err := net.Listen("tcp", r.address)
	if err != nil {
		return result{}, err
	}
	r.address = listener.Addr().String()
	s := &http.Server{Handler: server, ReadHeaderTimeout: time.Minute}
	go func() { _ = s.Serve(listener) }()
	defer func() { _ = s.Close() }()

	ctx, cancel := context.WithTimeout(context.Background(), timeLimit)
	defer cancel()
	args := append([]string{
		"score", r.rows, "--to", "jsonl", "--config", "none", "--no-progress", "--color", "never",
		"--judge", "llm", "--model", "m", "--base-url", "http://" + r.address + "/v1", "--api-key-env", "",
	}, strings.Fields(r.args)...)
	cmd := exec.CommandContext(ctx, r.binary, args...) //nolint:gosec // the binary is a flag
	cmd.Env = []string{"HOME=" + r.home, "XDG_CACHE_HOME=" + r.home}
	var stdout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, r.messages
	start := time.Now()
	err = cmd.Run()
	got := result{duration: time.Since(start), code: cmd.ProcessState.ExitCode()}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return result{}, err
	}
	got.stats = server.Stats()
	for line := range bytes.Lines(stdout.Bytes()) {
		var v row
		if err := json.Unmarshal(line, &v); err != nil {
			if got.duration >= timeLimit {
				break // killed while writing
			}
			return result{}, fmt.Errorf("%s: %w", bytes.TrimSpace(line), err)
		}
		got.rows = append(got.rows, v)
	}
	return got, nil
}

// outcome describes rows that failed or have other scores than in want, which is a run
// without quirks.
func (r result) outcome(want result) string {
	scores := map[string]string{}
	for _, v := range want.rows {
		scores[v.ID] = v.score()
	}
	failed, differ, graded := 0, 0, 0
	for _, v := range r.rows {
		for _, c := range v.Claims {
			if c.Graded {
				graded++
			}
		}
		switch {
		case v.Status == "failed":
			failed++
		case v.score() != scores[v.ID]:
			differ++
		}
	}
	missing := len(want.rows) - len(r.rows)
	parts := []string{"all scored"}
	if failed+missing > 0 {
		parts = []string{fmt.Sprintf("%d scored", len(r.rows)-failed)}
	}
	if failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", failed))
	}
	switch {
	case r.duration >= timeLimit:
		parts = append(parts, fmt.Sprintf("killed after %.0f minutes", timeLimit.Minutes()))
	case missing > 0:
		parts = append(parts, fmt.Sprintf("ended with exit code %d", r.code))
	}
	if differ > 0 {
		parts = append(parts, fmt.Sprintf("%d with another score", differ))
	}
	if graded > 0 {
		parts = append(parts, fmt.Sprintf("%d claims graded", graded))
	}
	return strings.Join(parts, ", ")
}

// score formats the score of a row.
func (r row) score() string {
	if r.Faithfulness == nil {
		return r.Status
	}
	return fmt.Sprint(*r.Faithfulness)
}

// reword writes the dataset with other questions, so that no reply to the original is
// reused.
func reword(rows, path string) error {
	text, err := os.ReadFile(rows)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		var v map[string]any
		if err := json.Unmarshal(line, &v); err != nil {
			return fmt.Errorf("%s: %w", rows, err)
		}
		v["question"] = fmt.Sprint("Question 2: ", v["question"])
		if err := json.NewEncoder(&out).Encode(v); err != nil {
			return err
		}
	}
	return os.WriteFile(path, out.Bytes(), 0o600)
}
