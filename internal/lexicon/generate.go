//go:build ignore

// This program generates data/lexicon.bin: document frequencies of stems, irregular forms,
// synonyms and antonyms.
//
//	go run internal/lexicon/generate.go -docs docs.jsonl -lexicon DIR -o FILE
//
// Each line of docs.jsonl is an object with a "text". DIR contains irregular-forms.tsv,
// countries.tsv, synonyms.tsv, synonyms-loose.tsv and antonyms.tsv, each with a header.
package main

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/lexicon"
)

func main() {
	docs := flag.String("docs", "", "documents in JSONL")
	dir := flag.String("lexicon", "", "directory of the word tables")
	out := flag.String("o", "data/lexicon.bin", "file to write")
	flag.Parse()
	if err := run(*docs, *dir, *out); err != nil {
		fmt.Fprintln(os.Stderr, "lexicon:", err)
		os.Exit(1)
	}
}

func run(docs, dir, out string) error {
	l, err := lexicon.Bare()
	if err != nil {
		return err
	}
	forms, err := irregular(l, filepath.Join(dir, "irregular-forms.tsv"))
	if err != nil {
		return err
	}
	df, n, err := frequencies(l, docs)
	if err != nil {
		return err
	}
	rel, err := relations(l, dir)
	if err != nil {
		return err
	}
	b := []byte(lexicon.Magic)
	b = appendFrequencies(b, df, n)
	b = appendSection(b, forms, func(b []byte, f [2]uint64) []byte {
		return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, f[0]), f[1])
	})
	b = appendRelations(b, rel)
	b = append(b, quantize(math.Log(float64(n+1)/0.5)))
	fmt.Fprintf(os.Stderr, "%d documents, %d stems, %d irregular forms, %d related pairs, %d bytes\n", n, len(df), len(forms), len(rel), len(b))
	return os.WriteFile(out, b, 0o644)
}

// irregular returns pairs of the hash of an irregular form and the key of its lemma,
// sorted by form, and adds them to l. If a form has two lemmas, the first one in the
// table counts, which is the more common one.
func irregular(l *lexicon.Lexicon, path string) ([][2]uint64, error) {
	seen := map[string]bool{}
	var forms [][2]uint64
	err := tsv(path, func(f []string) {
		lemma, form := f[0], f[2]
		if seen[form] || lemma == form || strings.ContainsAny(form+lemma, " -'") {
			return
		}
		seen[form] = true
		forms = append(forms, [2]uint64{lexicon.Hash(form), l.Key(lemma)})
	})
	slices.SortFunc(forms, func(a, b [2]uint64) int { return cmp.Compare(a[0], b[0]) })
	for _, f := range forms {
		l.AddIrregular(f[0], f[1])
	}
	return forms, err
}

// frequencies returns the number of documents that contain each stem, for stems in at
// least two documents, and the number of documents.
func frequencies(l *lexicon.Lexicon, path string) (map[uint64]int, int, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	df, n := map[uint64]int{}, 0
	var tokens []lexicon.Token
	for d := json.NewDecoder(bufio.NewReader(f)); ; n++ {
		var doc struct{ Text string }
		if err := d.Decode(&doc); err != nil {
			if errors.Is(err, io.EOF) {
				break
			}
			return nil, 0, fmt.Errorf("%s: document %d: %w", path, n, err)
		}
		seen := map[uint64]bool{}
		tokens = l.Tokens(tokens[:0], doc.Text)
		for _, t := range tokens {
			if !seen[t.Key] {
				seen[t.Key] = true
				df[t.Key]++
			}
		}
	}
	maps.DeleteFunc(df, func(_ uint64, n int) bool { return n < 2 })
	return df, n, nil
}

type pair struct {
	a, b uint64
	r    lexicon.Relation
}

// relations returns the related words, in both directions. If two words have two
// relations, it keeps the closer one.
func relations(l *lexicon.Lexicon, dir string) ([]pair, error) {
	best := map[[2]uint64]lexicon.Relation{}
	add := func(a, b string, r lexicon.Relation) {
		a, b = strings.ToLower(a), strings.ToLower(b)
		if a == "" || b == "" || strings.ContainsAny(a+b, " -'.") {
			return
		}
		x, y := l.Key(a), l.Key(b)
		if x == y {
			return
		}
		for _, k := range [][2]uint64{{x, y}, {y, x}} {
			if old, ok := best[k]; !ok || r < old {
				best[k] = r
			}
		}
	}
	list := func(r lexicon.Relation) func([]string) {
		return func(f []string) {
			for b := range strings.SplitSeq(f[2], ",") {
				b, _, _ = strings.Cut(b, ":")
				add(f[0], b, r)
			}
		}
	}
	err := errors.Join(
		tsv(filepath.Join(dir, "countries.tsv"), func(f []string) { add(f[0], f[2], lexicon.Adjective) }),
		tsv(filepath.Join(dir, "synonyms.tsv"), list(lexicon.Synonym)),
		tsv(filepath.Join(dir, "synonyms-loose.tsv"), list(lexicon.Loose)),
		tsv(filepath.Join(dir, "antonyms.tsv"), list(lexicon.Antonym)),
	)
	pairs := make([]pair, 0, len(best))
	for k, r := range best {
		pairs = append(pairs, pair{k[0], k[1], r})
	}
	slices.SortFunc(pairs, func(x, y pair) int {
		return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.r, y.r), cmp.Compare(x.b, y.b))
	})
	return pairs, err
}

func appendFrequencies(b []byte, df map[uint64]int, n int) []byte {
	slots := 1
	for slots < len(df)*3/2 {
		slots *= 2
	}
	table := make([]byte, slots*5)
	for _, k := range slices.Sorted(maps.Keys(df)) {
		i := int(k & uint64(slots-1))
		for table[i*5] != 0 { // a fingerprint is odd, so not 0
			i = (i + 1) & (slots - 1)
		}
		binary.LittleEndian.PutUint32(table[i*5:], lexicon.Fingerprint(k))
		table[i*5+4] = quantize(math.Log(float64(n+1) / (float64(df[k]) + 0.5)))
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(slots))
	return append(b, table...)
}

func quantize(idf float64) byte { return byte(math.Round(idf / lexicon.IDFStep)) }

func appendSection[T any](b []byte, items []T, appendItem func([]byte, T) []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(items)))
	for _, x := range items {
		b = appendItem(b, x)
	}
	return b
}

func appendRelations(b []byte, pairs []pair) []byte {
	var vocabulary []uint64
	for _, p := range pairs {
		vocabulary = append(vocabulary, p.a)
	}
	slices.Sort(vocabulary)
	vocabulary = slices.Compact(vocabulary)
	index := func(k uint64) uint16 {
		i, _ := slices.BinarySearch(vocabulary, k)
		return uint16(i)
	}
	if len(vocabulary) > math.MaxUint16 {
		panic("too many related words for two bytes")
	}
	b = appendSection(b, vocabulary, binary.LittleEndian.AppendUint64)
	return appendSection(b, pairs, func(b []byte, p pair) []byte {
		b = binary.LittleEndian.AppendUint16(b, index(p.a))
		b = binary.LittleEndian.AppendUint16(b, index(p.b))
		return append(b, byte(p.r))
	})
}

// tsv calls row with the fields of each line after the header.
func tsv(path string, row func([]string)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for n := 0; s.Scan(); n++ {
		f := strings.Split(s.Text(), "\t")
		if n == 0 {
			continue
		}
		if len(f) < 3 {
			return fmt.Errorf("%s:%d: want at least 3 columns, got %d", path, n+1, len(f))
		}
		row(f)
	}
	return s.Err()
}
