package tokenizer

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkEncode encodes the texts of the corpus one by one and concatenated.
func BenchmarkEncode(b *testing.B) {
	for _, c := range []struct{ name, file string }{
		{"WordPiece", "tokenizers/bert.json.zst"},
		{"Unigram", "tokenizers/t5.json.zst"},
		{"BPE", "models/roberta-seqcls/tokenizer.json"},
	} {
		tok := mustParse(b, readShared(b, c.file))
		texts := unmarshal[[]string](b, readShared(b, "tokenizers/corpus.json.zst"))
		for _, texts := range [][]string{texts, {strings.Join(texts, " ")}} {
			n := 0
			for _, t := range texts {
				n += len(t)
			}
			b.Run(fmt.Sprintf("%s/%d", c.name, len(texts)), func(b *testing.B) {
				b.SetBytes(int64(n))
				b.ReportAllocs()
				for b.Loop() {
					for _, t := range texts {
						if _, err := tok.Encode(t, 0); err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for _, name := range []string{"bert", "t5"} {
		data := readShared(b, "tokenizers/"+name+".json.zst")
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := Parse(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
