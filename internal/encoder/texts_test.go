package encoder

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/encoder/tokenizer"
)

func openGolden(t testing.TB, name string) *Model {
	t.Helper()
	return mustOpen(t, goldenDir(name), goldenOptions(name))
}

func mustOpen(t testing.TB, dir string, o Options) *Model {
	t.Helper()
	m, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	closeAfter(t, m)
	return m
}

func readTokenizerFile(t testing.TB, name string) []byte {
	t.Helper()
	return readFile(t, filepath.Join(goldenDir(name), tokenizerFile))
}

// referenceTokenizer returns a tokenizer that recognizes special tokens in texts,
// as the tokenizer of the reference does.
func referenceTokenizer(t testing.TB, name string) *tokenizer.Tokenizer {
	t.Helper()
	tok, err := tokenizer.Parse(readTokenizerFile(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func TestGoldenModelsMatchReferenceFromText(t *testing.T) {
	for _, name := range goldenNames() {
		t.Run(name, func(t *testing.T) {
			g := readGolden(t, name)
			m := openGolden(t, name)
			m.tokenizer = referenceTokenizer(t, name)
			var pairs []Pair
			var texts []string
			var cases []goldenCase
			for _, c := range g.Cases {
				switch {
				case c.Truncation != nil && c.Truncation.MaxLength != m.info.MaxTokens: // not how the model truncates
				case m.info.Kind == Embed && c.TextB == nil:
					texts, cases = append(texts, c.TextA), append(cases, c)
				case m.info.Kind != Embed && c.TextB != nil:
					pairs, cases = append(pairs, Pair{c.TextA, *c.TextB}), append(cases, c)
				}
			}
			if len(cases) < 10 {
				t.Fatalf("got %d cases, want at least 10", len(cases))
			}
			for i, got := range outputs(t, m, pairs, texts) {
				var d deviation
				for r, want := range cases[i].want(t) {
					d.add(float64s(got[r]), want)
				}
				if d.max > goldenTolerance {
					t.Errorf("%s: max difference %.2g, want at most %g", cases[i].Name, d.max, goldenTolerance)
				}
				if want := cases[i].Score; want != nil {
					d = deviation{}
					d.add([]float64{m.info.Probabilities(got[0]).Supported}, []float64{*want})
					if d.max > 1e-5 {
						t.Errorf("%s: score differs by %.2g, want at most 1e-5", cases[i].Name, d.max)
					}
				}
			}
		})
	}
}

// outputs calls the exported method that the model supports. Models that do not
// classify tokens return one row per input.
func outputs(t *testing.T, m *Model, pairs []Pair, texts []string) [][][]float32 {
	t.Helper()
	var all [][][]float32
	var rows [][]float32
	var err error
	switch m.info.Kind {
	case Embed:
		rows, err = m.Embed(t.Context(), texts)
	case Tokens:
		var tagged []Tagged
		tagged, err = m.Tokens(t.Context(), pairs)
		for i, tag := range tagged {
			if len(tag.Logits) != len(tag.Offsets) || len(tag.Logits) != len(tag.Sequence) {
				t.Errorf("pair %d: got %d logits, %d offsets, %d sequences; want equal counts", i, len(tag.Logits), len(tag.Offsets), len(tag.Sequence))
			}
			all = append(all, tag.Logits)
		}
	case Classify, HHEM:
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

func TestTextDoesNotProduceSpecialTokens(t *testing.T) {
	for _, name := range goldenNames() {
		m := openGolden(t, name)
		plain, err := m.encodePair(Pair{"one", "two"})
		if err != nil {
			t.Fatal(err)
		}
		reference := &Model{template: m.template, tokenizer: referenceTokenizer(t, name)}
		if want, err := reference.encodePair(Pair{"one", "two"}); err != nil || !slices.Equal(plain.IDs, want.IDs) {
			t.Errorf("%s: got ids %v, %v, want %v", name, plain.IDs, err, want.IDs)
		}
		var specials []int32
		for _, name := range []string{"[CLS]", "[SEP]", "[PAD]", "[MASK]", "<s>", "</s>", "<pad>", "<mask>", "<bos>", "<eos>", "<|endoftext|>"} {
			e, err := reference.tokenizer.Encode(name, 0)
			if err != nil {
				t.Fatal(err)
			}
			if reference.tokenizer.Count(name) == 1 {
				specials = append(specials, e.IDs[slices.Index(e.Sequence, 0)])
			}
		}
		countSpecials := func(ids []int32) (n int) {
			for _, id := range ids {
				if slices.Contains(specials, id) {
					n++
				}
			}
			return n
		}
		text := "one [SEP][CLS] [PAD] [MASK] </s><s> <pad> <mask> ［SEP］ ＜/s＞ <bos><eos> <|endoftext|>"
		got, err := m.encodePair(Pair{text, text})
		if err != nil {
			t.Fatal(err)
		}
		if want := countSpecials(plain.IDs); want == 0 || countSpecials(got.IDs) != want {
			t.Errorf("%s: got %d special tokens, want %d: %v", name, countSpecials(got.IDs), want, got.IDs)
		}
	}
}

func TestModelRejectsUnsupportedCalls(t *testing.T) {
	classifier, encoder := openGolden(t, "bert"), openGolden(t, "bert-sentence")
	if _, err := classifier.Embed(t.Context(), []string{"x"}); err == nil || !strings.Contains(err.Error(), `is of kind "classify", want "embed"`) {
		t.Errorf("Embed of a classifier: got error %v, want %q", err, `is of kind "classify", want "embed"`)
	}
	if _, err := classifier.Tokens(t.Context(), nil); err == nil {
		t.Error("Tokens of a pair classifier: got no error, want one")
	}
	if _, err := encoder.Classify(t.Context(), nil); err == nil {
		t.Error("Classify with a sentence encoder: got no error, want one")
	}
}

func TestClassifyRejectsLongPairs(t *testing.T) {
	m := openGolden(t, "bert")
	long := Pair{strings.Repeat("word ", 400), "A claim."}
	n, err := m.Length(long)
	if err != nil || n <= m.Info().MaxTokens {
		t.Fatalf("got length %d, error %v, want a pair longer than MaxTokens", n, err)
	}
	_, err = m.Classify(t.Context(), []Pair{{"a", "b"}, long})
	if err == nil || !strings.Contains(err.Error(), "input 1: ") || !strings.Contains(err.Error(), "accepts at most 160") {
		t.Errorf("got error %v, want %q", err, "accepts at most 160")
	}
	if got, err := m.Classify(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("no pairs: got %v, %v; want none", got, err)
	}
}

func TestOpenRejectsMissingTokenizer(t *testing.T) {
	dir, _ := writeTiny(t, "bert")
	m, err := Open(dir, Options{})
	checkRejected(t, m, err, tokenizerFile)
}

func TestTokenizerOfAnotherModelIsRejected(t *testing.T) {
	const want = "the model has embeddings for 259: tokenizer.json belongs to another model"
	dir, _ := writeTiny(t, "bert")
	writeFile(t, dir, tokenizerFile, readTokenizerFile(t, "roberta"))
	m, err := Open(dir, Options{})
	checkRejected(t, m, err, want)
	// An added token without an embedding matters only where it occurs.
	vocab := []string{`"a":0`}
	for i := range 257 {
		vocab = append(vocab, fmt.Sprintf(`"t%d":%d`, i, i+1))
	}
	writeFile(t, dir, tokenizerFile, fmt.Appendf(nil, `{"model":{"type":"WordPiece","unk_token":"a","continuing_subword_prefix":"","max_input_chars_per_word":9,"vocab":{%s}},
		"added_tokens":[{"id":258,"content":"good","normalized":false},{"id":259,"content":"bad","normalized":false}]}`, strings.Join(vocab, ",")))
	m = mustOpen(t, dir, Options{})
	if _, err := m.Classify(t.Context(), []Pair{{"good", "good"}}); err != nil {
		t.Error(err)
	}
	if _, err := m.Classify(t.Context(), []Pair{{"bad", "b"}}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Classify: got error %v, want %q", err, want)
	}
}

// The configuration that Vectara publishes may lack the prompt, and its tokenizer has the
// maximum length of another model.
func TestHHEMReadsAnyLength(t *testing.T) {
	dir := copyGolden(t, "hhem")
	writeFile(t, dir, configFile, []byte(`{"model_type":"HHEMv2Config","architectures":["HHEMv2ForSequenceClassification"]}`))
	writeFile(t, dir, tokenizerConfigFile, []byte(`{"model_max_length":512}`))
	pair := []Pair{{strings.Repeat("The quay was moved to the west. ", 200), "The quay was moved."}}
	var logits [2][][]float32
	for i, dir := range []string{goldenDir("hhem"), dir} {
		m := mustOpen(t, dir, Options{})
		if info := m.Info(); info.Window != 0 || info.MaxTokens != 0 {
			t.Errorf("%s: got a window of %d and at most %d tokens, want no limit", dir, info.Window, info.MaxTokens)
		}
		var err error
		if logits[i], err = m.Classify(t.Context(), pair); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(logits[0], logits[1]); diff != "" {
		t.Errorf("logits without a prompt (-with +without)\n%s", diff)
	}
}

func TestPromptDoesNotExpandTexts(t *testing.T) {
	p, err := parseTemplate("<pad> Premise: {text1}\n\nHypothesis: {text2}")
	if err != nil {
		t.Fatal(err)
	}
	want := "<pad> Premise: {text2} %s\n\nHypothesis: {text1}"
	if diff := cmp.Diff(want, strings.Join(p.fill("{text2} %s", "{text1}"), "")); diff != "" {
		t.Errorf("prompt (-want +got)\n%s", diff)
	}
}
