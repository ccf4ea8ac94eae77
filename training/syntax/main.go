// Program syntax trains the tagger, the parser and the lemmas of internal/syntax:
//
//	go run ./training/syntax sentences DATA OUT
//	go run ./training/syntax train DATA OUT
//
// DATA holds ud-ewt-train.conllu.zst, ud-ewt-dev.conllu.zst, lexicon.tar.zst and
// docs.jsonl.zst. The first command writes sentences of the documents to
// OUT/sentences.txt. The second one also learns from OUT/silver.conllu, the trees that
// teacher.py finds for them, and writes OUT/model.zst and OUT/lemmas.zst. The same data
// give the same bytes in every run on the same processor architecture.
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
	if len(os.Args) != 4 || os.Args[1] != "sentences" && os.Args[1] != "train" {
		fmt.Fprintln(os.Stderr, "usage: go run ./training/syntax sentences|train DATA OUT")
		os.Exit(2)
	}
	run := train
	if os.Args[1] == "sentences" {
		run = writeSentences
	}
	if err := run(os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func writeSentences(data, out string) error {
	texts, err := readTexts(filepath.Join(data, "docs.jsonl.zst"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "sentences.txt"), []byte(pickSentences(texts)), 0o644)
}

func train(data, out string) error {
	start := time.Now()
	report := func(what string) { fmt.Printf("%4.0f s: %s\n", time.Since(start).Seconds(), what) }
	tags, relations := newNames(""), newNames("root")
	var banks [3][]*sentence
	for i, path := range []string{filepath.Join(data, "ud-ewt-train.conllu.zst"), filepath.Join(data, "ud-ewt-dev.conllu.zst"), filepath.Join(out, "silver.conllu")} {
		var err error
		if banks[i], err = readTreebank(path, tags, relations); err != nil {
			return err
		}
	}
	gold, dev, silver := banks[0], banks[1], banks[2]
	known, irregular, err := readLexicon(filepath.Join(data, "lexicon.tar.zst"))
	if err != nil {
		return err
	}
	texts, err := readTexts(filepath.Join(data, "docs.jsonl.zst"))
	if err != nil {
		return err
	}
	lemmas := lemmaTable(gold, tags.list, known, irregular)
	if err := write(filepath.Join(out, "lemmas.zst"), []byte(lemmas)); err != nil {
		return err
	}
	evaluateLemmas(lemmas, dev, tags.list)
	evaluateWords(dev)

	groups := clusterForms(append(textKeys(texts), formKeys(gold)...))
	report("clustered words")
	f := &greedy.File{Tags: tags.list, Relations: relations.list}
	gold = append(gold, augment(gold, tags, relations)...)
	f.Classes = addGroups(formClasses(gold), groups)
	f.Tag = limit(sumTaggers(trainTaggers(gold, silver, groups, len(f.Tags))), 220_000)
	jackknife(gold, silver, groups, len(f.Tags))
	report("trained taggers")

	parsers := trainParsers(2, len(f.Relations), greedy.NewClasses(f.Classes), gold, silver)
	f.Action, f.Label = sumParsers(parsers)
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
