// Command accuracy measures the judges of a built ragfaith against people's
// labels: for each suite the AUROC of a row's least supported claim and the
// balanced accuracy of faithfulness = 1, beside a floor that any judge must
// pass; and for rated answers the correlation of support with the ratings.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/ragfaith/ragfaith/internal/stats"
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
	for _, judge := range judges {
		rows, err := score(binary, judge, suites, "suite", "label")
		if err != nil {
			return err
		}
		people, err := score(binary, judge, filepath.Join(data, "mtrag-human-dev.jsonl.zst"), "human_mean")
		if err != nil {
			return err
		}
		report(w, judge, rows, people, floor)
	}
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

// headline are the suites that a judge is held to.
func headline() []string {
	return []string{"ragtruth-subset", "mtrag", "lfqa-sentences", "faithbench", "wice-claims", "summedits"}
}

// A table collects the figures of one suite.
type table struct {
	positive, called []bool
	least, floor     []float64
	rows, without    int
}

func report(w io.Writer, judge string, rows, people []result, floor *floor) {
	suites := map[string]*table{}
	var order []string
	for i := range rows {
		r := &rows[i]
		t := suites[r.Suite]
		if t == nil {
			t = &table{}
			suites[r.Suite] = t
			order = append(order, r.Suite)
		}
		t.add(r, floor)
	}
	fmt.Fprintf(w, "\n## %s\n\n| suite | rows | without claims | AUROC | floor | balanced accuracy | floor at %.2f |\n|---|--:|--:|--:|--:|--:|--:|\n", judge, floorThreshold)
	line := func(name string, t *table) (auroc, floorAUROC, bacc, floorBacc float64) {
		auroc, floorAUROC = stats.AUROC(t.positive, t.least), stats.AUROC(t.positive, t.floor)
		above := make([]bool, len(t.floor))
		for i, s := range t.floor {
			above[i] = s >= floorThreshold
		}
		bacc, floorBacc = stats.BalancedAccuracy(t.positive, t.called), stats.BalancedAccuracy(t.positive, above)
		fmt.Fprintf(w, "| %s | %d | %d | %.3f | %.3f | %.3f | %.3f |\n", name, t.rows, t.without, auroc, floorAUROC, bacc, floorBacc)
		return
	}
	var sums [4]float64
	below := []string{}
	for _, name := range headline() {
		t := suites[name]
		if t == nil {
			continue
		}
		a, f, b, g := line("**"+name+"**", t)
		for i, x := range [...]float64{a, f, b, g} {
			sums[i] += x / float64(len(headline()))
		}
		if a < f {
			below = append(below, name+" (AUROC)")
		}
		if b < g {
			below = append(below, name+" (balanced accuracy)")
		}
		delete(suites, name)
	}
	fmt.Fprintf(w, "| mean of the headline suites | | | %.3f | %.3f | %.3f | %.3f |\n", sums[0], sums[1], sums[2], sums[3])
	for _, name := range order {
		if t := suites[name]; t != nil {
			line(name, t)
		}
	}
	fmt.Fprintf(w, "\nheadline suites below the floor: %s\n", strings.Join(append(below, none(below)...), ", "))
	reportPeople(w, people, floor)
}

func none(names []string) []string {
	if len(names) == 0 {
		return []string{"none"}
	}
	return nil
}

func (t *table) add(r *result, floor *floor) {
	t.rows++
	if r.Status != "scored" {
		t.without++
		return
	}
	least := math.Inf(1)
	for _, c := range r.Claims {
		least = math.Min(least, c.Score)
	}
	t.positive = append(t.positive, r.Label == 1)
	t.least = append(t.least, least)
	t.called = append(t.called, *r.Faithfulness == 1)
	low, _ := floor.score(r)
	t.floor = append(t.floor, low)
}

// ratedWell is the mean rating from which people found an answer faithful.
const ratedWell = 3.5

func reportPeople(w io.Writer, people []result, floor *floor) {
	var rating, support, plain []float64
	var good []bool
	for i := range people {
		r := &people[i]
		if r.Status != "scored" {
			continue
		}
		rating = append(rating, r.HumanMean)
		support = append(support, *r.Support)
		_, mean := floor.score(r)
		plain = append(plain, mean)
		good = append(good, r.HumanMean >= ratedWell)
	}
	fmt.Fprintf(w, "\nMTRAG, %d of %d answers with people's ratings: Spearman %.3f (floor %.3f, RAGAS as published 0.520), AUROC at %.1f %.3f (floor %.3f, RAGAS 0.726)\n",
		len(rating), len(people), stats.Spearman(support, rating), stats.Spearman(plain, rating),
		ratedWell, stats.AUROC(good, support), stats.AUROC(good, plain))
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
