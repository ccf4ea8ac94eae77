package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"

	"github.com/ragfaith/ragfaith/internal/encoder"
	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// runEncoder times a model on the engine. scripts/bench-encoder.py writes the model and sends
// commands on standard input: "load FILE" reads pairs (a JSON array of arrays of two strings),
// "scores" and "run TIMES" compute them. Each is answered with a line of numbers: the reply to
// scores is the logits of all pairs, that to run the duration of each run in nanoseconds.
func runEncoder(args []string) error {
	flags := flag.NewFlagSet("encoder", flag.ExitOnError)
	dir := flags.String("dir", "", "directory of the model")
	precision := flags.String("precision", "float32", "float32 or int8")
	threads := flags.Int("threads", 2, "number of threads")
	name := flags.String("kernel", "", "kernel implementation")
	template := flags.String("template", "", "template of a pair")
	tokens := flags.String("labels", "", "comma-separated output tokens of a T5 decoder")
	profile := flags.String("cpuprofile", "", "write a CPU profile to this file")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	o := encoder.Options{Threads: *threads, Kernel: *name, Template: *template}
	if *precision == "int8" {
		o.Precision = kernel.Int8
	}
	if *tokens != "" {
		o.LabelNames = []string{"not_supported", "supported"}
		for token := range strings.SplitSeq(*tokens, ",") {
			id, err := strconv.Atoi(token)
			if err != nil {
				return err
			}
			o.LabelTokens = append(o.LabelTokens, id)
		}
	}
	return serve(*dir, o)
}

func serve(dir string, o encoder.Options) error {
	m, err := encoder.Open(dir, o)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	var pairs []encoder.Pair
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		command, argument, _ := strings.Cut(in.Text(), " ")
		var reply string
		switch command {
		case "load":
			pairs, err = readPairs(argument)
		case "scores":
			reply, err = scores(m, pairs)
		case "run":
			reply, err = run(m, pairs, argument)
		default:
			err = fmt.Errorf("standard input: unknown command %q", in.Text())
		}
		if err != nil {
			return err
		}
		fmt.Println(reply)
	}
	return in.Err()
}

func readPairs(path string) ([]encoder.Pair, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var texts [][2]string
	if err := json.Unmarshal(data, &texts); err != nil {
		return nil, err
	}
	pairs := make([]encoder.Pair, len(texts))
	for i, t := range texts {
		pairs[i] = encoder.Pair{Premise: t[0], Hypothesis: t[1]}
	}
	return pairs, nil
}

// compute returns the logits of all pairs, or of all their tokens.
func compute(m *encoder.Model, pairs []encoder.Pair) ([][]float32, error) {
	if m.Info().Kind != encoder.Tokens {
		return m.Classify(context.Background(), pairs)
	}
	tagged, err := m.Tokens(context.Background(), pairs)
	var all [][]float32
	for _, t := range tagged {
		all = append(all, t.Logits...)
	}
	return all, err
}

func scores(m *encoder.Model, pairs []encoder.Pair) (string, error) {
	logits, err := compute(m, pairs)
	var b strings.Builder
	for _, row := range logits {
		for _, v := range row {
			fmt.Fprintf(&b, "%v ", v)
		}
	}
	return b.String(), err
}

func run(m *encoder.Model, pairs []encoder.Pair, times string) (string, error) {
	n, err := strconv.Atoi(times)
	if err != nil {
		return "", err
	}
	out := make([]string, n)
	for i := range out {
		start := time.Now()
		if _, err := compute(m, pairs); err != nil {
			return "", err
		}
		out[i] = strconv.FormatInt(time.Since(start).Nanoseconds(), 10)
	}
	return strings.Join(out, " "), nil
}
