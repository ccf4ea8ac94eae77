package segment

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/klauspost/compress/zstd"
)

// readShared decodes a compressed JSON file that is too large for the
// repository. It skips the test if the file is missing.
func readShared(t *testing.T, name string, into any) {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "data", name)
	packed, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("shared test data: %v", err)
	}
	r, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	plain, err := r.DecodeAll(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(plain, into); err != nil {
		t.Fatal(err)
	}
}

type goldenRule struct {
	Lang      string   `json:"lang"`
	Text      string   `json:"text"`
	Sentences []string `json:"sentences"`
	Kind      string   `json:"kind"`
}

func TestSentencesGoldenRules(t *testing.T) {
	var rules []goldenRule
	readShared(t, "pysbd-golden-rules.json.zst", &rules)
	passed, all := map[string]int{}, map[string]int{}
	for _, r := range rules {
		keys := []string{r.Kind + " all"}
		if r.Lang == "en" {
			keys = append(keys, r.Kind+" en")
		}
		good := sameSentences(r)
		for _, k := range keys {
			all[k]++
			if good {
				passed[k]++
			}
		}
		if !good && testing.Verbose() {
			t.Logf("%s %s:\n got %q\nwant %q", r.Lang, r.Kind, sentences(r.Text, r.Lang), r.Sentences)
		}
	}
	for k, n := range all {
		t.Logf("%s: %d of %d", k, passed[k], n)
	}
	for kind, want := range map[string]int{"golden": 164, "more": 130, "issue": 13, "clean": 131} {
		if n := passed[kind+" all"]; n < want {
			t.Errorf("%s: %d of %d rules pass, want at least %d", kind, n, all[kind+" all"], want)
		}
	}
}

// sameSentences compares the sentences of a rule's text with those it expects,
// ignoring white space and list markers.
func sameSentences(r goldenRule) bool {
	got, want := withoutMarkers(sentences(r.Text, r.Lang)), withoutMarkers(r.Sentences)
	return slices.EqualFunc(got, want, func(a, b string) bool { return withoutSpace(a) == withoutSpace(b) })
}

func withoutMarkers(sentences []string) []string {
	var out []string
	for _, s := range sentences {
		s = strings.TrimSpace(s)
		for m := markerAt(s, 0, len(s)); m.size > 0; m = markerAt(s, 0, len(s)) {
			s = s[m.size:]
		}
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

func sentences(text, lang string) []string {
	var out []string
	for _, s := range Sentences(text, lang) {
		out = append(out, text[s.Start:s.End])
	}
	return out
}

func withoutSpace(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

func TestSentencesWebTreebank(t *testing.T) {
	var docs []struct {
		Text      string   `json:"text"`
		Sentences []string `json:"sentences"`
	}
	readShared(t, "ud-ewt-sentseg-dev.json.zst", &docs)
	right, found, gold := 0, 0, 0
	for _, d := range docs {
		got := boundaries(d.Text)
		want := map[int]bool{}
		n := 0
		for _, s := range d.Sentences {
			n += len(withoutSpace(s))
			want[n] = true
		}
		found += len(got)
		gold += len(want)
		for b := range got {
			if want[b] {
				right++
			}
		}
	}
	p, r := float64(right)/float64(found), float64(right)/float64(gold)
	f1 := 2 * p * r / (p + r)
	t.Logf("precision %.4f recall %.4f F1 %.4f (%d of %d, %d found)", p, r, f1, right, gold, found)
	if f1 < 0.945 {
		t.Errorf("got F1 %.4f, want at least 0.945", f1)
	}
}

// boundaries returns the ends of the sentences of text, not counting white
// space. Text between sentences belongs to the next one.
func boundaries(text string) map[int]bool {
	b := map[int]bool{}
	spans := Sentences(text, "en")
	n, at := 0, 0
	for i, s := range spans {
		n += len(withoutSpace(text[at:s.End]))
		at = s.End
		if i == len(spans)-1 {
			n += len(withoutSpace(text[at:]))
		}
		b[n] = true
	}
	return b
}
