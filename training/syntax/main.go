// Program syntax trains the tagger, the parser and the lemmas of internal/syntax:
//
//	go run ./training/syntax DATA OUT
//
// DATA holds ud-ewt-train.conllu.zst, ud-ewt-dev.conllu.zst, lexicon.tar.zst and
// docs.jsonl.zst. OUT gets model.zst and lemmas.zst. The same data give the same bytes
// in every run on the same processor architecture.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/ragfaith/ragfaith/internal/syntax/greedy"
)

const epochs = 6

// Weights are stored in 9 bits. The scales keep nearly all of them in range.
const (
	tagScale    = 4
	actionScale = 4
	labelScale  = 8
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: go run ./training/syntax DATA OUT")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(data, out string) error {
	start := time.Now()
	report := func(what string) { fmt.Printf("%4.0f s: %s\n", time.Since(start).Seconds(), what) }
	tags, relations := newNames(""), newNames("root")
	train, err := readTreebank(filepath.Join(data, "ud-ewt-train.conllu.zst"), tags, relations)
	if err != nil {
		return err
	}
	f := &greedy.File{Tags: tags.list, Relations: relations.list}
	dev, err := readTreebank(filepath.Join(data, "ud-ewt-dev.conllu.zst"), tags, relations)
	if err != nil {
		return err
	}
	known, irregular, err := readLexicon(filepath.Join(data, "lexicon.tar.zst"))
	if err != nil {
		return err
	}
	texts, err := readTexts(filepath.Join(data, "docs.jsonl.zst"))
	if err != nil {
		return err
	}
	lemmas := lemmaTable(train, tags.list, known, irregular)
	if err := write(filepath.Join(out, "lemmas.zst"), []byte(lemmas)); err != nil {
		return err
	}
	evaluateLemmas(lemmas, dev, tags.list)
	evaluateWords(dev)

	groups := clusterForms(append(textKeys(texts), formKeys(train)...))
	report("clustered words")
	train = append(train, augment(train, tags, relations)...)
	f.Classes = addGroups(formClasses(train), groups)
	taggers := trainTaggers(train, groups, len(f.Tags))
	f.Tag = limit(sumTaggers(taggers), 220_000)
	for i, found := range jackknife(train, groups, len(f.Tags)) {
		train[i].predicted = found
	}
	report("trained taggers")

	classes := classTable(f.Classes)
	parsers := trainParsers(len(f.Relations), classes, nil, train, reverseAll(train))
	silver := pickSentences(texts, taggers[0])
	parseSilver(silver, parsers[0], parsers[1])
	report(fmt.Sprintf("parsed %d sentences of documents", len(silver)))
	f.Action, f.Label = sumParsers(trainParsers(len(f.Relations), classes, silver, train, train))
	f.Action, f.Label = limit(f.Action, 480_000), limit(f.Label, 140_000)
	report("trained parsers")
	model := f.Bytes()
	if err := evaluate(model, dev, tags); err != nil {
		return err
	}
	return write(filepath.Join(out, "model.zst"), model)
}

// write compresses data into a file.
func write(path string, data []byte) error {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		return err
	}
	packed := w.EncodeAll(data, nil)
	fmt.Printf("%s: %d bytes, %d compressed\n", path, len(data), len(packed))
	return os.WriteFile(path, packed, 0o644)
}
