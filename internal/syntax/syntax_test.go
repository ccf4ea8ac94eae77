package syntax

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/ragfaith/ragfaith/internal/syntax/greedy"
)

// relations returns the tokens as "word:relation:head".
func relations(tokens []Token) string {
	var b strings.Builder
	for _, t := range tokens {
		head := "root"
		if t.Head >= 0 {
			head = tokens[t.Head].Text
		}
		fmt.Fprintf(&b, "%s:%s:%s ", t.Text, t.Relation, head)
	}
	return b.String()
}

func TestParseFindsRolesOfWords(t *testing.T) {
	tests := []struct {
		sentence string
		want     []string
	}{
		{"The policy does not cover water damage.", []string{"policy:nsubj:cover", "does:aux:cover", "not:advmod:cover", "damage:obj:cover", "cover:root:root"}},
		{"Water damage is covered by the policy.", []string{"damage:nsubj:pass:covered", "is:aux:pass:covered", "policy:obl:agent:covered", "by:case:policy"}},
		{"Paris is the capital of France.", []string{"Paris:nsubj:capital", "is:cop:capital", "France:nmod:capital"}},
		{"Anna's brother bought two houses in 2019.", []string{"Anna:nmod:poss:brother", "brother:nsubj:bought", "two:nummod:houses", "houses:obj:bought", "2019:obl:bought"}},
		{"The Basic plan costs $49 per month.", []string{"plan:nsubj:costs", "$:obj:costs", "49:nummod:$"}},
		{"You can cancel if the deposit is paid.", []string{"can:aux:cancel", "You:nsubj:cancel", "if:mark:paid", "paid:advcl:cancel"}},
		{"The bridge has been designed by Anna.", []string{"bridge:nsubj:pass:designed", "Anna:obl:agent:designed"}},
		{"The report must be sent by 2019.", []string{"report:nsubj:pass:sent", "2019:obl:sent"}},
		{"They opened the museum in 1998.", []string{"museum:obj:opened", "1998:obl:opened"}},
		{"All the flour the bakery uses comes from local mills.", []string{"flour:nsubj:comes", "uses:acl:relcl:flour", "bakery:nsubj:uses", "comes:root:root"}},
		{"Did Einstein win the Nobel Prize?", []string{"Did:aux:win", "Einstein:nsubj:win"}},
	}
	for _, tt := range tests {
		got := relations(Parse(tt.sentence))
		for _, want := range tt.want {
			if !strings.Contains(got, want+" ") {
				t.Errorf("%s: got %s, want %s", tt.sentence, got, want)
			}
		}
	}
}

func TestParseFindsTagsAndLemmas(t *testing.T) {
	var got []string
	for _, token := range Parse("The children weren't buying better wolves’ teeth.") {
		got = append(got, token.Text+"/"+token.Lemma+"/"+token.Tag+"/"+token.Fine)
	}
	want := []string{"The/the/DET/DT", "children/child/NOUN/NNS", "were/be/AUX/VBD", "n't/not/PART/RB", "buying/buy/VERB/VBG", "better/good/ADJ/JJR", "wolves/wolf/NOUN/NNS", "’/'s/PART/POS", "teeth/tooth/NOUN/NNS", "././PUNCT/."}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// checkTree fails unless the tokens are in order and form a tree with one root.
func checkTree(t *testing.T, sentence string, tokens []Token) {
	t.Helper()
	end, roots := 0, 0
	for i, token := range tokens {
		if token.Start < end || token.End <= token.Start || token.End > len(sentence) || sentence[token.Start:token.End] != token.Text {
			t.Fatalf("%q: got token %+v after byte %d, want its text at its place", sentence, token, end)
		}
		end = token.End
		if token.Tag == "" || token.Fine == "" || token.Relation == "" || token.Lemma == "" {
			t.Fatalf("%q: got empty field in %+v", sentence, token)
		}
		if token.Head < 0 {
			roots++
		}
		if (token.Head < 0) != (token.Relation == "root") {
			t.Fatalf("%q: got relation %s of head %d", sentence, token.Relation, token.Head)
		}
		steps := 0
		for at := i; at >= 0; at = tokens[at].Head {
			if steps++; steps > len(tokens) {
				t.Fatalf("%q: got a cycle through token %d", sentence, i)
			}
		}
	}
	if len(tokens) > 0 && roots != 1 {
		t.Fatalf("%q: got %d roots, want 1", sentence, roots)
	}
}

func TestParseOfNothingHasNoTokens(t *testing.T) {
	for _, sentence := range []string{"", " \t\n", "\u200b", "\x00\x01"} {
		if got := Parse(sentence); len(got) > 0 {
			t.Errorf("%q: got %v, want no tokens", sentence, got)
		}
	}
}

func TestLongSentencesFormOneTreeInLinearTime(t *testing.T) {
	const n = 20_000
	sentence := strings.Repeat("the old dog ", n/3)
	start := time.Now()
	tokens := Parse(sentence)
	if elapsed := time.Since(start); elapsed > 10*time.Second {
		t.Errorf("got %v for %d words, want linear time", elapsed, n)
	}
	if len(tokens) <= greedy.MaxWords {
		t.Fatalf("got %d tokens, want all words", len(tokens))
	}
	checkTree(t, sentence, tokens)
}

func TestParseIsTheSameInEveryGoroutine(t *testing.T) {
	sentences := sample(t)
	want := make([]string, len(sentences))
	for i, s := range sentences {
		want[i] = fmt.Sprint(Parse(s.text))
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i, s := range sentences {
				if got := fmt.Sprint(Parse(s.text)); got != want[i] {
					t.Errorf("%q: got %s, want %s", s.text, got, want[i])
				}
			}
		})
	}
	group.Wait()
}

func FuzzParse(f *testing.F) {
	for _, sentence := range []string{"", "Anna's $49, 50% \xff\xfe (don't)...", "''\"—-- 10km/h ’’ n't", "a\u200b.b.", "I can't, won’t; www.x.y/z! a@b.c 5-6 x-y-z #1 C#"} {
		f.Add(sentence)
	}
	f.Fuzz(func(t *testing.T, sentence string) {
		tokens := Parse(sentence)
		checkTree(t, sentence, tokens)
		if len(tokens) == 0 && strings.ContainsFunc(sentence, unicode.IsLetter) {
			t.Fatalf("%q: got no tokens", sentence)
		}
	})
}

// treeSentence is a sentence with its tree. A word is known by its place in bytes.
type treeSentence struct {
	text   string
	tokens []Token
}

func sample(tb testing.TB) []treeSentence {
	tb.Helper()
	data, err := os.ReadFile("testdata/sample.conllu")
	if err != nil {
		tb.Fatal(err)
	}
	var all []treeSentence
	for block := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n\n") {
		text, lines, _ := strings.Cut(strings.TrimPrefix(block, "# text = "), "\n")
		s := treeSentence{text: text}
		at := 0
		for line := range strings.SplitSeq(lines, "\n") {
			fields := strings.Split(line, "\t")
			if strings.Contains(fields[0], "-") {
				continue
			}
			head, err := strconv.Atoi(fields[6])
			if err != nil {
				tb.Fatal(err)
			}
			at += strings.Index(text[at:], fields[1])
			s.tokens = append(s.tokens, Token{Text: fields[1], Lemma: strings.ToLower(fields[2]), Tag: fields[3], Fine: fields[4], Head: head - 1, Relation: fields[7], Start: at, End: at + len(fields[1])})
			at += len(fields[1])
		}
		all = append(all, s)
	}
	return all
}

// TestAccuracyOnTreebank parses raw text, so wrong words count as errors.
func TestAccuracyOnTreebank(t *testing.T) {
	var all, words, tags, lemmas, arcs, heads, labelled float64
	for _, s := range sample(t) {
		got := map[int]Token{}
		tokens := Parse(s.text)
		for _, token := range tokens {
			got[token.Start] = token
		}
		for _, want := range s.tokens {
			all++
			if want.Tag != "PUNCT" {
				arcs++
			}
			token, found := got[want.Start]
			if !found || token.End != want.End {
				continue
			}
			words++
			if token.Tag == want.Tag {
				tags++
			}
			if token.Lemma == want.Lemma {
				lemmas++
			}
			gotHead, wantHead := -1, -1
			if token.Head >= 0 {
				gotHead = tokens[token.Head].Start
			}
			if want.Head >= 0 {
				wantHead = s.tokens[want.Head].Start
			}
			if want.Tag != "PUNCT" && gotHead == wantHead {
				heads++
				if token.Relation == want.Relation {
					labelled++
				}
			}
		}
	}
	for _, figure := range []struct {
		name     string
		got, min float64
	}{
		{"words", words / all, 0.98}, {"tags", tags / all, 0.95}, {"lemmas", lemmas / all, 0.97}, {"UAS", heads / arcs, 0.87}, {"LAS", labelled / arcs, 0.84},
	} {
		t.Logf("%s %.4f", figure.name, figure.got)
		if figure.got < figure.min {
			t.Errorf("%s: got %.4f, want at least %.2f", figure.name, figure.got, figure.min)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	sentences := sample(b)
	bytes := 0
	for _, s := range sentences {
		bytes += len(s.text)
	}
	Parse("Load the data.")
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	for b.Loop() {
		for _, s := range sentences {
			Parse(s.text)
		}
	}
	b.ReportMetric(float64(len(sentences)*b.N)/b.Elapsed().Seconds(), "sentences/s")
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		newAnalyser()
	}
}
