// Command accuracy measures the judges of a built ragfaith against people's
// labels: for each suite the AUROC of a row's least supported claim, with a
// bootstrap interval, and the balanced accuracy of faithfulness = 1, beside a
// floor that any judge must pass; and for rated answers the correlation of
// support with the ratings. Judges after the first are compared with it.
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

	"github.com/klauspost/compress/zstd"
)

func main() {
	binary := flag.String("ragfaith", "bin/ragfaith", "binary to measure")
	data := flag.String("data", "", "folder of suite-dev, mtrag-human-dev and docs, .jsonl.zst")
	judges := flag.String("judges", "lexical", "judges, separated by commas")
	flag.Parse()
	if err := run(os.Stdout, *binary, *data, strings.Split(*judges, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "accuracy:", err)
		os.Exit(1)
	}
}

// A result is a line of `ragfaith score --to jsonl`.
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
		fmt.Fprintf(w, "no evaluation data at %s: nothing measured\n", suites)
		return nil
	}
	floor, err := newFloor(filepath.Join(data, "docs.jsonl.zst"))
	if err != nil {
		return err
	}
	var all []*judged
	for _, judge := range judges {
		rows, err := score(binary, judge, suites, "suite", "label")
		if err != nil {
			return err
		}
		people, err := score(binary, judge, filepath.Join(data, "mtrag-human-dev.jsonl.zst"), "human_mean")
		if err != nil {
			return err
		}
		all = append(all, newJudged(judge, rows, people, floor))
	}
	report(w, all)
	return nil
}

// score runs the binary on a file and reads what it says of each row.
func score(binary, judge, file string, keep ...string) ([]result, error) {
	args := []string{"score", file, "--judge", judge, "--to", "jsonl", "-q", "--no-progress"}
	for _, k := range keep {
		args = append(args, "--keep", k)
	}
	cmd := exec.Command(binary, args...) //nolint:gosec // the caller names the binary
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var rows []result
	for d := json.NewDecoder(out); ; {
		var r result
		if err := d.Decode(&r); err != nil {
			if errors.Is(err, io.EOF) {
				break
			}
			return nil, errors.Join(fmt.Errorf("%s: result %d: %w", file, len(rows), err), cmd.Wait())
		}
		rows = append(rows, r)
	}
	return rows, cmd.Wait()
}

// lines calls row with each JSON value of a .zst file.
func lines(path string, row func(*json.Decoder) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		return err
	}
	defer z.Close()
	for d := json.NewDecoder(z); ; {
		if err := row(d); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("%s: %w", path, err)
		}
	}
}
