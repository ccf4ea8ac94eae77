// Command accuracy compares the judges of a ragfaith binary with human labels. For
// each suite it prints the AUROC of the minimum claim score with a bootstrap interval
// and the balanced accuracy of faithfulness = 1, beside a word overlap baseline; for
// rated answers, the correlation of support with the ratings. Further judges are
// compared with the first one.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	binary := flag.String("ragfaith", "bin/ragfaith", "path of the ragfaith binary")
	data := flag.String("data", "", "directory with suite-dev, mtrag-human-dev and docs (.jsonl.zst)")
	judges := flag.String("judges", "lexical", "comma-separated judges")
	flag.Parse()
	if err := run(os.Stdout, *binary, *data, strings.Split(*judges, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "accuracy:", err)
		os.Exit(1)
	}
}

// A result holds the required fields of a line of `ragfaith score --to jsonl`.
type result struct {
	ID           string
	Suite        string
	Label        float64
	HumanMean    float64 `json:"human_mean"`
	Contexts     []string
	Status       string
	Faithfulness *float64
	Support      *float64
	Claims       []struct {
		Text  string
		Score float64
	}
}

func run(w io.Writer, binary, data string, judges []string) error {
	suites := filepath.Join(data, "suite-dev.jsonl.zst")
	if _, err := os.Stat(suites); errors.Is(err, os.ErrNotExist) {
		fmt.Fprintf(w, "%s: not found, nothing measured\n", suites)
		return nil
	}
	baseline, err := newBaseline(filepath.Join(data, "docs.jsonl.zst"))
	if err != nil {
		return err
	}
	var all []*judged
	for _, judge := range judges {
		rows, err := score(binary, judge, suites, "suite", "label")
		if err != nil {
			return err
		}
		rated, err := score(binary, judge, filepath.Join(data, "mtrag-human-dev.jsonl.zst"), "human_mean")
		if err != nil {
			return err
		}
		all = append(all, newJudged(judge, rows, rated, baseline))
	}
	report(w, all)
	return nil
}

// score runs the binary on a file and returns its results.
func score(binary, judge, file string, keep ...string) ([]result, error) {
	args := []string{"score", file, "--judge", judge, "--to", "jsonl", "-q", "--no-progress"}
	for _, k := range keep {
		args = append(args, "--keep", k)
	}
	cmd := exec.Command(binary, args...) //nolint:gosec // the caller specifies the binary
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var rows []result
	err = decodeAll(out, func(r result) { rows = append(rows, r) })
	if err != nil {
		err = fmt.Errorf("%s: result %d: %w", file, len(rows), err)
	}
	return rows, errors.Join(err, cmd.Wait())
}

// decodeAll calls each with the JSON values of in.
func decodeAll[T any](in io.Reader, each func(T)) error {
	for d := json.NewDecoder(in); ; {
		var value T
		if err := d.Decode(&value); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		each(value)
	}
}
