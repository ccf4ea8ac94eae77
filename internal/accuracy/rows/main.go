// Command rows writes rows of about 1 KB that look like real ones, the same
// for the same seed, to measure speed and memory with.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
)

func main() {
	n := flag.Int("n", 1_000_000, "rows")
	out := flag.String("o", "rows.jsonl", "file to write")
	seed := flag.Uint64("seed", 1, "seed")
	flag.Parse()
	if err := run(*n, *out, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "rows:", err)
		os.Exit(1)
	}
}

func run(n int, out string, seed uint64) error {
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	e := json.NewEncoder(w)
	r := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // reproducible on purpose
	for i := range n {
		facts := make([]string, 8)
		for j := range facts {
			facts[j] = fact(r)
		}
		row := map[string]any{
			"id":       fmt.Sprintf("row-%08d", i),
			"question": "What is known of the " + pick(r, things()) + "?",
			"answer":   facts[r.IntN(8)] + " " + facts[r.IntN(8)] + " " + fact(r),
			"contexts": []string{strings.Join(facts[:4], " "), strings.Join(facts[4:], " ")},
		}
		if err := e.Encode(row); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

func fact(r *rand.Rand) string {
	return fmt.Sprintf("The %s of %s %s the %s on %d %s %d, and about %d people %s it.",
		pick(r, things()), pick(r, places()), pick(r, verbs()), pick(r, things()),
		1+r.IntN(28), pick(r, months()), 1800+r.IntN(220), 100*(1+r.IntN(400)), pick(r, verbs()))
}

func pick(r *rand.Rand, words []string) string { return words[r.IntN(len(words))] }

func things() []string {
	return strings.Fields("bridge council museum harbour company festival railway library garden treaty market school theatre mine canal airport hospital tower factory stadium")
}

func places() []string {
	return strings.Fields("Lisbon Oslo Nairobi Lima Kyoto Geneva Porto Bergen Quito Dakar Hanoi Turin Leipzig Galway Perth Boston Austin Cusco Izmir Tallinn")
}

func verbs() []string {
	return strings.Fields("opened closed supported visited bought sold rejected restored financed inspected praised crossed designed measured filmed")
}

func months() []string {
	return strings.Fields("January February March April May June July August September October November December")
}
