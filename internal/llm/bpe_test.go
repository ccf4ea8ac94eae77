package llm

import (
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/tiktoken-go/tokenizer"
)

var update = flag.Bool("update", false, "write the vocabularies in data")

// reference returns another implementation of an encoding.
func reference(tb testing.TB, name string) tokenizer.Codec {
	tb.Helper()
	c, err := tokenizer.Get(tokenizer.Encoding(name))
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func mustOpenVocabulary(tb testing.TB, name string) *vocabulary {
	tb.Helper()
	v, err := openVocabulary(name)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// TestVocabularies compares every token with the reference.
func TestVocabularies(t *testing.T) {
	for _, name := range []string{o200k, cl100k} {
		codec := reference(t, name)
		var tokens []string
		for rank := range uint(201_000) {
			s, err := codec.Decode([]uint{rank})
			if err != nil {
				s = ""
			}
			tokens = append(tokens, s)
		}
		for tokens[len(tokens)-1] == "" {
			tokens = tokens[:len(tokens)-1]
		}
		if *update {
			writeVocabulary(t, name, tokens)
		}
		e, used := mustOpenVocabulary(t, name), 0
		for rank, s := range tokens {
			if s == "" {
				continue
			}
			used++
			if got, ok := e.ranks[s]; !ok || got != uint32(rank) {
				t.Fatalf("%s: %q: got rank %d, want %d", name, s, got, rank)
			}
		}
		if len(e.ranks) != used {
			t.Errorf("%s: got %d tokens, want %d", name, len(e.ranks), used)
		}
	}
}

func writeVocabulary(t *testing.T, name string, tokens []string) {
	t.Helper()
	var raw []byte
	for _, s := range tokens {
		raw = append(binary.AppendUvarint(raw, uint64(len(s))), s...)
	}
	w := must(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression)))
	if err := os.WriteFile(filepath.Join("data", name+".zst"), w.EncodeAll(raw, nil), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestCountsMatchReference compares counts with the reference.
func TestCountsMatchReference(t *testing.T) {
	rows := must(os.ReadFile("../../testdata/rows.jsonl"))
	texts := []string{
		"", " ", "\n", "hello world, again", "I've done  THIS\r\n\r\n and that's it/\n", "日本語のテキスト", "Füße, naïve café",
		"👩‍👩‍👧‍👦 🇩🇪", "\xff\xfe invalid \x80", "<|endoftext|>", "1234567", "\t\t  x", "a\u0301\u0302", "ſ'ſ",
		strings.Repeat("ab", 500), strings.Repeat("=", 1000), string(rows),
	}
	// Random mixtures of characters at which the patterns split. The reference, unlike
	// tiktoken, splits blanks between line ends.
	blankLine := regexp.MustCompile(`[\r\n][ \t\x{a0}]+[\r\n]`)
	r := rand.New(rand.NewPCG(1, 2))
	alphabet := []rune("aAzé日ДǅʰΣ'sStlLrRvVeEmMdD019٣  \n\r\t/.-=🙂\u0301\u00a0\ufffd")
	for range 2000 {
		b := make([]rune, r.IntN(40))
		for i := range b {
			b[i] = alphabet[r.IntN(len(alphabet))]
		}
		if s := string(b); !blankLine.MatchString(s) {
			texts = append(texts, s)
		}
	}
	for _, name := range []string{o200k, cl100k} {
		e, codec := mustOpenVocabulary(t, name), reference(t, name)
		for _, s := range texts {
			want, wantErr := codec.Count(s)
			if got, err := e.count(s); got != want || (err != nil) != (wantErr != nil) {
				t.Errorf("%s: %.60q: got %d tokens, %v, want %d, %v", name, s, got, err, want, wantErr)
			}
		}
	}
}

// TestBlankLines checks counts of tiktoken that the reference does not match.
func TestBlankLines(t *testing.T) {
	for s, want := range map[string]int{"\n\t\n": 1, "\n \r\n": 2, "a\n\t\nb": 3} {
		for _, name := range []string{o200k, cl100k} {
			if got, err := mustOpenVocabulary(t, name).count(s); got != want || err != nil {
				t.Errorf("%s: %q: got %d, %v, want %d", name, s, got, err, want)
			}
		}
	}
}

// TestLongPiece checks that a text without spaces does not take quadratic time.
func TestLongPiece(t *testing.T) {
	e := mustOpenVocabulary(t, o200k)
	if n, err := e.count(strings.Repeat("qzxj", 100_000)); err != nil || n < 100_000 { // takes hours in quadratic time
		t.Errorf("got %d tokens and %v", n, err)
	}
}

func TestDamagedVocabulary(t *testing.T) {
	for _, raw := range []string{"\x01", "\x05abc", "\xff\xff\xff", "\x01a\x80"} {
		if ranks, err := parseVocabulary(raw); err == nil {
			t.Errorf("%q: got %v, want an error", raw, ranks)
		}
	}
}
