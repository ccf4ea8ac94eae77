package tokenizer

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// sharedData contains published tokenizers and their reference outputs, which are too
// large for the repository. Tests that need them are skipped if it is missing.
const sharedData = "../../../../shared/data"

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func readShared(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(sharedData, name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s: not found in %s", name, sharedData)
	}
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Ext(name) != ".zst" {
		return data
	}
	dec, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	if data, err = dec.DecodeAll(data, nil); err != nil {
		t.Fatal(err)
	}
	return data
}

func mustParse(t testing.TB, data []byte) *Tokenizer {
	t.Helper()
	tok, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func unmarshal[T any](t testing.TB, data []byte) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEncodePublishedTokenizers(t *testing.T) {
	for _, name := range []string{"bert", "t5"} {
		t.Run(name, func(t *testing.T) {
			tok := mustParse(t, readShared(t, "tokenizers/"+name+".json.zst"))
			texts := unmarshal[[]string](t, readShared(t, "tokenizers/corpus.json.zst"))
			want := unmarshal[[][]int32](t, readShared(t, "tokenizers/"+name+".ref.json.zst"))
			if len(texts) != len(want) || len(texts) < 3000 {
				t.Fatalf("got %d texts and %d results, want equal numbers of at least 3000", len(texts), len(want))
			}
			for i, text := range texts {
				got, err := tok.Encode(text, 0)
				if err != nil || !slices.Equal(got.IDs, want[i]) {
					t.Errorf("%q\n got %v, %v\nwant %v", text, got.IDs, err, want[i])
				}
				if n := tok.Count(text) + countSpecials(tok.post.single); n != len(want[i]) {
					t.Errorf("%q: got %d tokens, want %d", text, n, len(want[i]))
				}
			}
		})
	}
}

type goldenCases struct {
	Kind, Prompt string
	Cases        []struct {
		Name       string
		A          string  `json:"text_a"`
		B          *string `json:"text_b"`
		Truncation *struct {
			Strategy string
			Max      int `json:"max_length"`
		}
		IDs      []int32   `json:"input_ids"`
		Types    []int32   `json:"token_type_ids"`
		Offsets  [][]int32 // in characters
		Sequence []*int8   `json:"sequence_ids"`
	}
}

func TestEncodeGoldenModels(t *testing.T) {
	files, err := filepath.Glob("../testdata/models/*/tokenizer.json")
	if err != nil || len(files) < 8 {
		t.Fatalf("got %d golden models, %v; want at least 8", len(files), err)
	}
	for _, file := range files {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			tok := mustParse(t, readFile(t, file))
			golden := unmarshal[goldenCases](t, readFile(t, filepath.Join(dir, "cases.json")))
			if len(golden.Cases) < 15 {
				t.Fatalf("got %d cases, want at least 15", len(golden.Cases))
			}
			for _, c := range golden.Cases {
				limit := 0
				if c.Truncation != nil {
					if limit = c.Truncation.Max; c.B != nil {
						continue // pairs are not truncated
					}
				}
				texts := [2]string{c.A}
				var got Encoding
				var err error
				switch {
				case golden.Prompt != "":
					texts[0] = strings.NewReplacer("{text1}", c.A, "{text2}", *c.B).Replace(golden.Prompt)
					got, err = tok.Encode(texts[0], limit)
				case c.B == nil:
					got, err = tok.Encode(c.A, limit)
				default:
					texts[1] = *c.B
					got, err = tok.EncodePair(c.A, *c.B)
				}
				if err != nil || !slices.Equal(got.IDs, c.IDs) {
					t.Errorf("%s: got %v, %v\nwant %v", c.Name, got.IDs, err, c.IDs)
				}
				if c.Types != nil && !slices.Equal(got.TypeIDs, c.Types) {
					t.Errorf("%s: got types %v, want %v", c.Name, got.TypeIDs, c.Types)
				}
				offsets := characterOffsets(t, got, texts, c.Offsets)
				if c.Offsets != nil && filepath.Base(dir) != "roberta" && !slices.EqualFunc(offsets, c.Offsets, slices.Equal) {
					t.Errorf("%s: got offsets %v, want %v", c.Name, offsets, c.Offsets)
				}
				if c.Sequence != nil && len(got.Sequence) != len(c.Sequence) {
					t.Errorf("%s: got %d sequences, want %d", c.Name, len(got.Sequence), len(c.Sequence))
					continue
				}
				for i, s := range c.Sequence {
					if s == nil && got.Sequence[i] != -1 || s != nil && got.Sequence[i] != *s {
						t.Errorf("%s: token %d: got sequence %d", c.Name, i, got.Sequence[i])
					}
				}
			}
		})
	}
}
