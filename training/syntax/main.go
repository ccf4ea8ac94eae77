// Program syntax trains the tagger, the parser and the lemmas of internal/syntax:
//
//	go run ./training/syntax DATA OUT
//
// DATA holds ud-ewt-train.conllu.zst, ud-ewt-dev.conllu.zst and lexicon.tar.zst. OUT gets
// model.zst and lemmas.zst. The same data give the same bytes on every machine.
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
	tagScale    = 8
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
	lemmas := lemmaTable(train, tags.list, known, irregular)
	if err := write(filepath.Join(out, "lemmas.zst"), []byte(lemmas)); err != nil {
		return err
	}
	evaluateLemmas(lemmas, dev, tags.list)
	evaluateWords(dev)
	tagger := trainTagger(train, len(f.Tags), 8, 0)
	f.Classes, f.Tag = formClasses(train), tagger.weights(2)
	jackknife(train, len(f.Tags))
	fmt.Printf("%4.0f s: tagged\n", time.Since(start).Seconds())
	p := newParser(len(f.Relations), tagger.classes)
	for epoch := range epochs {
		explore := 0.9
		if epoch == 0 {
			explore = 0
		}
		p.epoch(train, explore)
		fmt.Printf("%4.0f s: epoch %d\n", time.Since(start).Seconds(), epoch+1)
	}
	p.action.average(actionScale)
	p.label.average(labelScale)
	f.Action, f.Label = p.action.weights(1), p.label.weights(2)
	fmt.Printf("features: %d of tags, %d of actions, %d of relations\n", len(f.Tag), len(f.Action), len(f.Label))
	model := f.Bytes()
	if err := evaluate(model, dev, tags, relations); err != nil {
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
