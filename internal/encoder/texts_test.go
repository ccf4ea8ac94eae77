package encoder

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/encoder/tokenizer"
)

func openReference(t testing.TB, folder string) *Model {
	t.Helper()
	m, err := Open(filepath.Join(models, folder), options(folder))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// asReference is a tokenizer that takes special tokens in texts for such, as that
// does which the reference outputs were made with.
func asReference(t testing.TB, folder string) *tokenizer.Tokenizer {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(models, folder, "tokenizer.json"))
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// From text to numbers, every reference model does what the reference does.
func TestReferenceModelsFromText(t *testing.T) {
	for _, folder := range folders() {
		t.Run(folder, func(t *testing.T) {
			g := readGolden(t, folder)
			m := openReference(t, folder)
			m.tokenizer = asReference(t, folder)
			var pairs []Pair
			var texts []string
			var cases []goldenCase
			for _, c := range g.Cases {
				if encoded := encodeCase(t, m, &c); !slices.Equal(encoded.IDs, c.IDs) {
					t.Errorf("%s: ids %v, want %v", c.Name, encoded.IDs, c.IDs)
				}
				switch {
				case m.info.Kind == Embed && c.TextB == nil:
					// Embed cuts at the same length as these cases do.
					texts, cases = append(texts, c.TextA), append(cases, c)
				case m.info.Kind != Embed && c.TextB != nil && c.Truncation == nil:
					pairs, cases = append(pairs, Pair{c.TextA, *c.TextB}), append(cases, c)
				}
			}
			if len(cases) < 10 {
				t.Fatalf("only %d cases", len(cases))
			}
			for i, got := range outputs(t, m, pairs, texts) {
				var d deviation
				for r, want := range cases[i].values(t) {
					d.add(float64s(got[r]), want)
				}
				if d.worst > 2e-5 {
					t.Errorf("%s is off by %.2g", cases[i].Name, d.worst)
				}
				if score := cases[i].Score; score != nil {
					d = deviation{}
					d.add([]float64{m.info.Chances(got[0]).Supported}, []float64{*score})
					if d.worst > 1e-5 {
						t.Errorf("%s: the score is off by %.2g", cases[i].Name, d.worst)
					}
				}
			}
		})
	}
}

func encodeCase(t *testing.T, m *Model, c *goldenCase) tokenizer.Encoding {
	t.Helper()
	var limit *tokenizer.Truncation
	if c.Truncation != nil {
		limit = &tokenizer.Truncation{MaxLength: c.Truncation.MaxLength, Strategy: map[string]tokenizer.Strategy{
			"longest_first": tokenizer.LongestFirst, "only_first": tokenizer.OnlyFirst, "only_second": tokenizer.OnlySecond,
		}[c.Truncation.Strategy]}
	}
	var e tokenizer.Encoding
	var err error
	switch {
	case m.prompt != nil:
		e, err = m.encodePair(Pair{c.TextA, *c.TextB})
	case c.TextB == nil:
		e, err = m.tokenizer.Encode(c.TextA, limit)
	default:
		e, err = m.tokenizer.EncodePair(c.TextA, *c.TextB, limit)
	}
	if err != nil {
		t.Fatal(c.Name, err)
	}
	return e
}

// outputs calls the one method that the model is for.
func outputs(t *testing.T, m *Model, pairs []Pair, texts []string) [][][]float32 {
	t.Helper()
	var all [][][]float32
	if m.info.Kind == Tokens {
		tagged, err := m.Tokens(t.Context(), pairs)
		if err != nil {
			t.Fatal(err)
		}
		for i, tag := range tagged {
			if len(tag.Logits) != len(tag.Offsets) || len(tag.Logits) != len(tag.Sequence) {
				t.Errorf("pair %d: %d logits, %d offsets, %d sequences", i, len(tag.Logits), len(tag.Offsets), len(tag.Sequence))
			}
			all = append(all, tag.Logits)
		}
		return all
	}
	var rows [][]float32
	var err error
	if m.info.Kind == Embed {
		rows, err = m.Embed(t.Context(), texts)
	} else {
		rows, err = m.Classify(t.Context(), pairs)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		all = append(all, [][]float32{row})
	}
	return all
}

// No text makes a special token, whatever the model's tokenizer has for it, and
// the prompt of HHEM still does.
func TestTextsThatSpellSpecialsAreText(t *testing.T) {
	for _, folder := range folders() {
		readGolden(t, folder)
		m := openReference(t, folder)
		plain, err := m.encodePair(Pair{"one", "two"})
		if err != nil {
			t.Fatal(err)
		}
		trusting := &Model{prompt: m.prompt, tokenizer: asReference(t, folder)}
		if want, err := trusting.encodePair(Pair{"one", "two"}); err != nil || !slices.Equal(plain.IDs, want.IDs) {
			t.Errorf("%s: %v (%v) of plain texts, want %v", folder, plain.IDs, err, want.IDs)
		}
		pieces, err := m.tokenizer.Texts(1 << 16)
		if err != nil {
			t.Fatal(err)
		}
		spells := func(ids []int32) (n int) {
			for _, id := range ids {
				switch strings.Trim(pieces[id], "[]</>") {
				case "SEP", "CLS", "PAD", "MASK", "s", "pad", "mask":
					if len(pieces[id]) > 1 {
						n++
					}
				}
			}
			return n
		}
		text := "one [SEP][CLS] [PAD] [MASK] </s><s> <pad> <mask> ［SEP］ ＜/s＞ <|endoftext|>"
		got, err := m.encodePair(Pair{text, text})
		if err != nil {
			t.Fatal(err)
		}
		if want := spells(plain.IDs); want == 0 || spells(got.IDs) != want {
			t.Errorf("%s: %d special tokens, want %d: %v", folder, spells(got.IDs), want, got.IDs)
		}
	}
}

// Where the model says that a token is unfaithful can be found in the text.
func TestTokensHaveTheirPlaceInTheText(t *testing.T) {
	readGolden(t, "modernbert-tokencls")
	m := openReference(t, "modernbert-tokencls")
	pair := Pair{"Bergen is in Norway.", "Bergen liegt in Österreich."}
	tagged, err := m.Tokens(t.Context(), []Pair{pair})
	if err != nil {
		t.Fatal(err)
	}
	var second strings.Builder
	for i, span := range tagged[0].Offsets {
		if tagged[0].Sequence[i] == 1 && span[0] >= second.Len() {
			second.WriteString(pair.Hypothesis[second.Len():span[1]])
		}
	}
	if second.String() != pair.Hypothesis {
		t.Errorf("the tokens of the second text cover %q of %q", second.String(), pair.Hypothesis)
	}
}

func TestCallsOfTheWrongKindAreRefused(t *testing.T) {
	readGolden(t, "bert-seqcls")
	classifier, encoder := openReference(t, "bert-seqcls"), openReference(t, "bert-encoder")
	if _, err := classifier.Embed(t.Context(), []string{"x"}); err == nil || !strings.Contains(err.Error(), `is of kind "classify", want "embed"`) {
		t.Error(err)
	}
	if _, err := classifier.Tokens(t.Context(), nil); err == nil {
		t.Error("a classifier of pairs classified tokens")
	}
	if _, err := encoder.Classify(t.Context(), nil); err == nil {
		t.Error("an encoder classified")
	}
}

// Nothing is cut off in silence.
func TestPairsThatAreTooLongAreErrors(t *testing.T) {
	readGolden(t, "bert-seqcls")
	m := openReference(t, "bert-seqcls")
	long := Pair{strings.Repeat("word ", 400), "A claim."}
	n, err := m.Length(long)
	if err != nil || n <= m.Info().MaxTokens {
		t.Fatal(n, err)
	}
	_, err = m.Classify(t.Context(), []Pair{{"a", "b"}, long})
	if err == nil || !strings.Contains(err.Error(), "input 1: ") || !strings.Contains(err.Error(), "takes 128 at most") {
		t.Error(err)
	}
	if got, err := m.Classify(t.Context(), nil); err != nil || len(got) != 0 {
		t.Error(got, err)
	}
}

// A tokenizer that belongs to another model makes an error and no judgement.
func TestATokenizerOfAnotherModelIsRefused(t *testing.T) {
	readGolden(t, "bert-seqcls")
	dir, _ := written(t, "bert")
	data, err := os.ReadFile(filepath.Join(models, "bert-seqcls", "tokenizer.json"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), "tokenizer.json") {
		t.Error("without a tokenizer:", err)
	}
	writeFile(t, dir, "tokenizer.json", []byte("{"))
	if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), "tokenizer.json") {
		t.Error("with a broken tokenizer:", err)
	}
	writeFile(t, dir, "tokenizer.json", data)
	m, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	_, err = m.Classify(t.Context(), []Pair{{"The harbour was rebuilt.", "It was."}})
	if err == nil || !strings.Contains(err.Error(), "the model has embeddings for 23: tokenizer.json belongs to another model") {
		t.Error(err)
	}
}

func TestPromptTakesTextsAsTheyAre(t *testing.T) {
	tests := []struct{ prompt, want string }{
		{"<pad> Premise: {text1}\n\nHypothesis: {text2}", "<pad> Premise: {text2} %s\n\nHypothesis: {text1}"},
		{"{text2} after {text1}.", "{text1} after {text2} %s."},
	}
	for _, tt := range tests {
		p, err := readPrompt(&config{values: map[string]jsonValue{"prompt": quote(t, tt.prompt)}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, strings.Join(p.fill("{text2} %s", "{text1}"), "")); diff != "" {
			t.Error(diff)
		}
	}
}
