package tokenizer

import (
	"slices"
	"strings"
	"testing"
)

// The expected values come from Hugging Face tokenizers 0.23.3 with
// encode_special_tokens set.
func TestSplitSpecialsAgreesWithReference(t *testing.T) {
	all := testTokenizers(t)
	for _, tt := range []struct {
		name, text string
		want       []int32
	}{
		{"wordpiece", "a [SEP] b[CLS]", []int32{2, 37, 27, 55, 77, 88, 29, 38, 27, 39, 84, 91, 29, 3}},
		{"wordpiece", "x [UNK]", []int32{2, 60, 27, 125, 83, 29, 3}},
		{"bpe", "[MASK]ing </s><s> <pad>", []int32{0, 62, 48, 36, 54, 46, 64, 277, 224, 31, 18, 86, 33, 31, 86, 33, 224, 31, 83, 68, 71, 33, 2}},
		{"bpe", "<unk> the <mask>", []int32{0, 31, 280, 78, 33, 353, 224, 31, 80, 272, 78, 33, 2}},
		{"bpe-bytes", "</s>", []int32{1, 63, 50, 277, 65, 2}},
	} {
		tok := all[tt.name]
		trusting, err := tok.Encode(tt.text, 0)
		if err != nil {
			t.Fatal(err)
		}
		got, err := tok.SplitSpecials().Encode(tt.text, 0)
		if err != nil || !slices.Equal(got.IDs, tt.want) {
			t.Errorf("%s: %q: got %v, %v\nwant %v", tt.name, tt.text, got.IDs, err, tt.want)
		}
		if again, err := tok.Encode(tt.text, 0); err != nil || !slices.Equal(again.IDs, trusting.IDs) || slices.Equal(again.IDs, got.IDs) {
			t.Errorf("%s: %q: original tokenizer: got %v, %v, want %v", tt.name, tt.text, again.IDs, err, trusting.IDs)
		}
	}
}

// In the reference, a Unigram model still finds special tokens in its vocabulary.
func TestSplitSpecialsAppliesToModel(t *testing.T) {
	all := testTokenizers(t)
	// This tokenizer does not split words at brackets.
	all["words"] = mustParse(t, []byte(`{"version":"1.0","added_tokens":[{"id":1,"content":"[SEP]","normalized":false,"special":true}],
		"normalizer":{"type":"Replace","pattern":{"String":"(SEP)"},"content":"[SEP]"},"pre_tokenizer":{"type":"WhitespaceSplit"},
		"model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":99,
		"vocab":{"[UNK]":0,"[SEP]":1,"a":2,"[":3,"##S":4}}}`))
	for _, tt := range []struct {
		name, text string
		want       []int32
	}{
		{"unigram", "</s>", []int32{0, 4, 3, 23, 3, 2}},               // "</" and ">" are unknown
		{"unigram", "<unk> the", []int32{0, 4, 3, 134, 15, 3, 78, 2}}, // "<" is unknown
		{"deberta", "</s>", []int32{258, 0, 277, 0}},
		{"words", "a [SEP] [S", []int32{2, 0, 3, 4}},
		{"words", "(SEP)", []int32{0}}, // the normalizer maps it to [SEP]
	} {
		got, err := all[tt.name].SplitSpecials().Encode(tt.text, 0)
		if err != nil || !slices.Equal(got.IDs, tt.want) {
			t.Errorf("%s: %q: got %v, %v\nwant %v", tt.name, tt.text, got.IDs, err, tt.want)
		}
	}
}

// Only the template of a prompt may contain special tokens.
func TestEncodePromptSplitsSpecialsInTextsOnly(t *testing.T) {
	tok := testTokenizers(t)["unigram"]
	split := tok.SplitSpecials()
	for _, tt := range []struct {
		parts []string
		same  bool // whether a trusting tokenizer gives the same result
	}{
		{[]string{"<pad> the <mask>", "dog", "</s> a"}, true},
		{[]string{"<pad> the", "", "</s>"}, true},
		{[]string{"the ", "<pad>", "</s>"}, false},
		{[]string{"the <pa", "d> dog", ""}, false},
		{[]string{"the ", "dog <", "pad>"}, false},
	} {
		trusting, err := tok.Encode(strings.Join(tt.parts, ""), 0)
		if err != nil {
			t.Fatal(err)
		}
		got, err := split.EncodePrompt(tt.parts)
		if err != nil || slices.Equal(got.IDs, trusting.IDs) != tt.same {
			t.Errorf("%q: got %v, %v; trusting tokenizer %v, want equal: %t", tt.parts, got.IDs, err, trusting.IDs, tt.same)
		}
		all, err := tok.EncodePrompt(tt.parts)
		if err != nil || !slices.Equal(all.IDs, trusting.IDs) {
			t.Errorf("%q: got %v, %v, want %v", tt.parts, all.IDs, err, trusting.IDs)
		}
	}
	got, err := split.EncodePrompt([]string{"<pad> ", "</s>", "</s>"})
	if want := []int32{0, 1, 4, 3, 23, 3, 2, 2}; err != nil || !slices.Equal(got.IDs, want) {
		t.Errorf("got %v, %v, want %v", got.IDs, err, want)
	}
}

// checkSplit checks that a tokenizer for untrusted texts produces no special
// tokens.
func checkSplit(t testing.TB, tok *Tokenizer, text string) {
	t.Helper()
	split := tok.SplitSpecials()
	e := checkInvariants(t, split, text)
	for i, id := range e.IDs {
		if e.Sequence[i] != special && tok.specials[id] {
			t.Fatalf("%q: token %d: got special id %d, want an ordinary token", text, i, id)
		}
	}
}

func TestSplitSpecialsProducesNoSpecials(t *testing.T) {
	for _, tok := range testTokenizers(t) {
		texts := []string{"＜/s＞ ［ＳＥＰ］ <\u200b/s>"}
		for _, m := range []*matcher{tok.verbatim, tok.normalized} {
			if m == nil {
				continue
			}
			for _, a := range m.tokens {
				texts = append(texts, a.Content, "x "+a.Content+a.Content+" y", strings.ToUpper(a.Content), a.Content[:1]+a.Content)
			}
		}
		for _, c := range readReference(t).Small {
			texts = append(texts, string(c.A))
		}
		for _, text := range texts {
			checkSplit(t, tok, text)
		}
	}
}
