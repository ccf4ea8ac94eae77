package local

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/encoder"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical"
)

// A wordCounter counts words as tokens. It implements Model, except for Info.
type wordCounter struct {
	limit int  // in words; 0 if unlimited
	nan   bool // outputs are not numbers
}

func (wordCounter) Count(text string) int { return len(strings.Fields(text)) }
func (wordCounter) Specials() int         { return 3 }

// options returns options with the default threshold, and quotes from the lexical judge.
func options(t testing.TB) Options {
	t.Helper()
	o := Options{Threshold: DefaultThreshold, Sentences: sentences}
	var err error
	if o.Quoter, err = lexical.New(lexical.Options{Threshold: lexical.DefaultThreshold, Sentences: sentences}); err != nil {
		t.Fatal(err)
	}
	return o
}

// sentences yields sentences that end at ". " and "。".
func sentences(text string, yield func(start, end int)) {
	start := 0
	for i := range text {
		if i > start && (strings.HasSuffix(text[:i], ". ") || strings.HasSuffix(text[:i], "。")) {
			yield(start, len(strings.TrimRight(text[:i], " ")))
			start = i
		}
	}
	if start < len(text) {
		yield(start, len(text))
	}
}

func claims(texts ...string) (cs []extract.Claim) {
	for i, text := range texts {
		cs = append(cs, extract.Claim{ID: i, Text: text})
	}
	return cs
}

// openModel opens a golden model in internal/encoder with the options that apply sets.
func openModel(t *testing.T, name string, apply func(*encoder.Options)) *encoder.Model {
	t.Helper()
	var o encoder.Options
	apply(&o)
	m, err := encoder.Open(filepath.Join("../../encoder/testdata/models", name), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

// readGolden decodes a file in testdata into v.
func readGolden(t *testing.T, file string, v any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}
