package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
	"github.com/ragfaith/ragfaith/internal/usage"
)

// A fakeModel answers requests with a function. Like a real client, it
// validates replies with the schema.
type fakeModel struct {
	answer   func(n int, in input) (string, error) // n is the index of the request
	requests []*llm.Request
}

type input struct {
	Question  string        `json:"question"`
	Before    string        `json:"before"`
	Answer    string        `json:"answer"`
	Sentences []prompt.Item `json:"sentences"`
}

func (m *fakeModel) Complete(ctx context.Context, r *llm.Request) (*llm.Reply, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.requests = append(m.requests, r)
	var in input
	if err := json.NewDecoder(strings.NewReader(r.Messages[1].Text)).Decode(&in); err != nil {
		return nil, err
	}
	out, err := m.answer(len(m.requests)-1, in)
	if err != nil {
		return nil, err
	}
	if err := r.Schema.Accept(json.RawMessage(out)); err != nil {
		return nil, &llm.ParseError{Reason: err.Error()}
	}
	return &llm.Reply{JSON: json.RawMessage(out), Usage: usage.Usage{Requests: 1}}, nil
}

// reply encodes pairs of sentence id and statement.
func reply(pairs ...any) string {
	var list []map[string]any
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, map[string]any{"sentence_id": pairs[i], "statement": pairs[i+1]})
	}
	b, _ := json.Marshal(map[string]any{"statements": list})
	return string(b)
}

// echo returns every sentence as its own statement.
func echo(_ int, in input) (string, error) {
	var pairs []any
	for _, s := range in.Sentences {
		pairs = append(pairs, s.ID, s.Text)
	}
	return reply(pairs...), nil
}

func newExtractor(t testing.TB, answer func(int, input) (string, error), x Extractor) (*fakeModel, Extractor) {
	t.Helper()
	p, err := prompt.Load("")
	if err != nil {
		t.Fatal(err)
	}
	m := &fakeModel{answer: answer}
	x.Model, x.Prompts = m, p
	return m, x
}

const einstein = "Hello! Here is what I know:\nHe was born in Ulm in 1879. He loved sailing.\n\nI hope this helps!"

func TestExtractMapsStatementsToSentences(t *testing.T) {
	m, x := newExtractor(t, func(_ int, in input) (string, error) {
		if len(in.Sentences) != 2 || in.Question != "Einstein?" || in.Sentences[0].Heading == "" {
			t.Errorf("got input %+v, want 2 sentences with the question and heading", in)
		}
		return reply(1, "He loved sailing.", 0, "Einstein was born in Ulm.", 0, " Einstein was\nborn in 1879. "), nil
	}, Extractor{})
	e, err := x.Extract(t.Context(), "Einstein?", einstein)
	if err != nil {
		t.Fatal(err)
	}
	want := []extract.Claim{
		{ID: 0, Text: "Einstein was born in Ulm.", Start: -1, End: -1, From: &extract.Span{Start: 28, End: 55}},
		{ID: 1, Text: "Einstein was born in 1879.", Start: -1, End: -1, From: &extract.Span{Start: 28, End: 55}},
		{ID: 2, Text: "He loved sailing.", Start: 56, End: 73},
	}
	if d := cmp.Diff(want, e.Claims); d != "" {
		t.Errorf("claims (-want +got):\n%s", d)
	}
	if len(e.Skipped) != 3 || e.Usage.Requests != 1 || len(m.requests) != 1 {
		t.Errorf("got skipped %+v and usage %+v, want 3 skipped and 1 request", e.Skipped, e.Usage)
	}
	if r := m.requests[0]; r.Seed != 0 || r.Temperature != 0 || r.Prompt != "claims/1" || r.MaxTokens < baseReplyTokens || !json.Valid(r.Schema.JSON) {
		t.Errorf("got request %+v, want no seed, temperature 0 and a schema", r)
	}
}

func TestExtractSkipsRequestWithoutClaims(t *testing.T) {
	for _, answer := range []string{"", "I don't know.", "Hello!", "```\ncode\n```"} {
		for _, whole := range []bool{false, true} {
			m, x := newExtractor(t, func(int, input) (string, error) { return "", errors.New("unexpected request") }, Extractor{Whole: whole})
			e, err := x.Extract(t.Context(), "q", answer)
			if err != nil || len(e.Claims) != 0 || len(m.requests) != 0 {
				t.Errorf("%q: got %+v in %d requests, error %v, want no claims and requests", answer, e, len(m.requests), err)
			}
		}
	}
}

func TestExtractKeepsEverySentence(t *testing.T) {
	const answer = "Mercury is hot. Venus is bright. Mars is red."
	for name, tt := range map[string]struct {
		first, second string
		want          []string
		verbatim      int
		requests      int
	}{
		"missing statement in second reply": {
			reply(0, "Mercury is hot.", 2, "Mars is red."), reply(0, "The planet Venus is bright."),
			[]string{"Mercury is hot.", "The planet Venus is bright.", "Mars is red."},
			2, 2,
		},
		"missing statement in both replies": {
			reply(0, "Mercury is hot.", 2, "Mars is red."), `{"statements":[]}`,
			[]string{"Mercury is hot.", "Venus is bright.", "Mars is red."},
			3, 2,
		},
		"unknown id": {
			reply(1, "Mercury is hot.", 2, "Venus is bright.", 3, "Mars is red."), reply(0, "Mercury is hot!", 1, "Venus is bright!", 2, "Mars is red!"),
			[]string{"Mercury is hot!", "Venus is bright!", "Mars is red!"},
			0, 2,
		},
		"repeated statements": {
			reply(0, "Mercury is hot!", 1, "Venus is bright!", 1, "Venus  is bright!", 2, "Mars is red!", 1, "Venus is bright!"), "",
			[]string{"Mercury is hot!", "Venus is bright!", "Mars is red!"},
			0, 1,
		},
		"empty statements": {
			reply(0, " ", 1, "…", 2, "Mars is red."), reply(0, "", 1, ""),
			[]string{"Mercury is hot.", "Venus is bright.", "Mars is red."},
			3, 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, x := newExtractor(t, func(n int, _ input) (string, error) { return []string{tt.first, tt.second}[n], nil }, Extractor{})
			e, err := x.Extract(t.Context(), "q", answer)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			verbatim := 0
			for i, c := range e.Claims {
				got = append(got, c.Text)
				if c.ID != i {
					t.Errorf("claim %d: got ID %d, want %d", i, c.ID, i)
				}
				if c.Start >= 0 {
					verbatim++
					if answer[c.Start:c.End] != c.Text || c.From != nil {
						t.Errorf("got verbatim claim %+v, want the offsets of its text and no From", c)
					}
				} else if c.From == nil {
					t.Errorf("got rewritten claim %+v, want From set", c)
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" || verbatim != tt.verbatim || len(m.requests) != tt.requests {
				t.Errorf("got %d verbatim claims and %d requests, want %d and %d\n-want +got:\n%s", verbatim, len(m.requests), tt.verbatim, tt.requests, d)
			}
			if len(m.requests) > 1 && (m.requests[1].Seed != 1 || m.requests[1].Temperature == 0 || !strings.Contains(m.requests[1].Messages[1].Text, "An earlier try")) {
				t.Errorf("got second request %+v, want seed 1, a higher temperature and the retry prompt", m.requests[1])
			}
		})
	}
}

func TestExtractRetriesInventedStatements(t *testing.T) {
	const answer = "He was born in Ulm in 1879. He loved sailing."
	m, x := newExtractor(t, func(n int, in input) (string, error) {
		if n == 0 {
			return reply(0, "Einstein was born in Ulm in 1880.", 1, "Einstein loved sailing."), nil
		}
		if len(in.Sentences) != 1 {
			t.Errorf("got retry for %+v, want one sentence", in.Sentences)
		}
		return reply(0, "Einstein was born in Ulm in 1879."), nil
	}, Extractor{})
	e, err := x.Extract(t.Context(), "Einstein?", answer)
	if err != nil || len(m.requests) != 2 || e.Claims[0].Text != "Einstein was born in Ulm in 1879." || e.Claims[0].Invented || e.Claims[1].Invented {
		t.Errorf("got %+v, error %v, want the statements of the retry", e, err)
	}
	m, x = newExtractor(t, func(_ int, in input) (string, error) {
		if len(in.Sentences) == 1 {
			return reply(0, "Einstein was born in Ulm, Germany."), nil
		}
		return reply(0, "Einstein was born in Ulm in 1879.", 0, "Ulm lies in Germany.", 1, "He loved sailing."), nil
	}, Extractor{})
	e, err = x.Extract(t.Context(), "Einstein?", answer)
	if err != nil || len(m.requests) != 2 || len(e.Claims) != 3 || !e.Claims[1].Invented || e.Claims[0].Invented {
		t.Errorf("got %+v, error %v, want only claim 1 marked as invented", e.Claims, err)
	}
}

func TestVocabulary(t *testing.T) {
	for _, tt := range []struct {
		text, source string
		want         bool
	}{
		{"Einstein was born in Ulm.", "Where was Einstein born? In Ulm.", false},
		{"Einstein was born in Ulm in 1879.", "Where was Einstein born? In Ulm.", true},
		{"Einstein was born in Germany.", "Where was Einstein born? In Ulm.", true},
		{"Obama was born in Hawaii.", "He was born in Hawaii.", true},
		{"The company employs 5 people.", "The company has 5 employees and other people.", false},
		{"Companies develop new drugs.", "The company developed a new drug.", false},
		{"According to the report, sales rose.", "Sales rose, the report says.", false},
		{"The discovery revolutionised medicine and chemistry worldwide.", "The discovery was useful.", true},
		{"Kepler war zweimal verheiratet.", "War Kepler verheiratet? Ja, zweimal.", false},
		{"Kepler war dreimal verheiratet und wohnte in Prag.", "War Kepler verheiratet? Ja, zweimal.", true},
		{"東京は日本の首都です。", "日本の首都は東京です。", false},
		{"大阪は日本の古い都市である。", "東京は首都。", true},
		{"5 km", "5km", false},
		{"Столица — Рим.", "Столица производит рис.", true},
		{"", "", false},
	} {
		if got := NewVocabulary(tt.source).Lacks(tt.text); got != tt.want {
			t.Errorf("%q with the vocabulary of %q: got %t, want %t", tt.text, tt.source, got, tt.want)
		}
	}
}

func TestExtractSplitsLongAnswers(t *testing.T) {
	var b strings.Builder
	for i := range 45 {
		fmt.Fprintf(&b, "Planet number %d is hot. ", i)
	}
	m, x := newExtractor(t, echo, Extractor{})
	e, err := x.Extract(t.Context(), "q", b.String())
	if err != nil || len(e.Claims) != 45 || len(m.requests) != 3 {
		t.Errorf("got %d claims in %d requests, error %v, want 45 in 3", len(e.Claims), len(m.requests), err)
	}
	var in input
	if err := json.Unmarshal([]byte(m.requests[1].Messages[1].Text), &in); err != nil || in.Before != "Planet number 18 is hot. Planet number 19 is hot." {
		t.Errorf("got Before %q, error %v, want the two preceding sentences", in.Before, err)
	}
	for _, limit := range []error{&llm.LengthError{}, &llm.ContextLengthError{}} {
		_, x = newExtractor(t, func(n int, in input) (string, error) {
			if len(in.Sentences) > 4 {
				return "", limit
			}
			return echo(n, in)
		}, Extractor{})
		e, err = x.Extract(t.Context(), "q", b.String())
		if err != nil || len(e.Claims) != 45 || e.Claims[44].Start < 0 {
			t.Errorf("got %d claims, error %v, want 45", len(e.Claims), err)
		}
	}
	// A single sentence that is too long to rewrite becomes a claim verbatim.
	_, x = newExtractor(t, func(int, input) (string, error) { return "", &llm.LengthError{} }, Extractor{})
	if e, err := x.Extract(t.Context(), "q", "Mars is red."); err != nil || len(e.Claims) != 1 || e.Claims[0].Start != 0 {
		t.Errorf("got %+v, error %v, want one verbatim claim", e, err)
	}
}

func TestExtractReturnsModelErrors(t *testing.T) {
	for _, want := range []error{&llm.RefusalError{Reason: "refusal"}, &llm.DownError{Cause: errors.New("x")}, &llm.ContextLengthError{}} {
		for _, whole := range []bool{false, true} {
			_, x := newExtractor(t, func(int, input) (string, error) { return "", want }, Extractor{Whole: whole})
			if e, err := x.Extract(t.Context(), "q", "Mars is red."); !errors.Is(err, want) || e.Claims != nil {
				t.Errorf("got error %v and claims %v, want %v", err, e.Claims, want)
			}
		}
	}
	_, x := newExtractor(t, echo, Extractor{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Extract(ctx, "q", "Mars is red."); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
}

func TestExtractWholeAnswer(t *testing.T) {
	const answer = "Mercury is hot. Venus is bright. Mars is red."
	list := func(s ...string) string {
		b, _ := json.Marshal(map[string]any{"statements": append([]string{}, s...)})
		return string(b)
	}
	for name, tt := range map[string]struct {
		replies  []string
		want     []extract.Claim
		requests int
		fails    bool
	}{
		"first reply":       {[]string{list("Mercury is hot.", " Mars is\nred. ", "")}, []extract.Claim{{ID: 0, Text: "Mercury is hot.", Start: -1, End: -1}, {ID: 1, Text: "Mars is red.", Start: -1, End: -1}}, 1, false},
		"empty first reply": {[]string{list(), list("Mars is red.")}, []extract.Claim{{Text: "Mars is red.", Start: -1, End: -1}}, 2, false},
		"empty replies":     {[]string{list(), list()}, nil, 2, false},
		"invented":          {[]string{list("Mars has 2 moons."), list("Mars is red.")}, []extract.Claim{{Text: "Mars is red.", Start: -1, End: -1}}, 2, false},
		"invented twice":    {[]string{list("Mars has 2 moons."), list("Mars has 3 moons.")}, []extract.Claim{{Text: "Mars has 2 moons.", Start: -1, End: -1, Invented: true}}, 2, false},
		"unreadable once":   {[]string{"7", list("Mars is red.")}, []extract.Claim{{Text: "Mars is red.", Start: -1, End: -1}}, 2, false},
		"unreadable twice":  {[]string{"7", "{}"}, nil, 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			m, x := newExtractor(t, func(n int, in input) (string, error) {
				if in.Answer != answer {
					t.Errorf("got input %+v, want answer %q", in, answer)
				}
				return tt.replies[n], nil
			}, Extractor{Whole: true})
			e, err := x.Extract(t.Context(), "q", answer)
			if (err != nil) != tt.fails || len(m.requests) != tt.requests {
				t.Fatalf("got error %v in %d requests, want %d", err, len(m.requests), tt.requests)
			}
			if d := cmp.Diff(tt.want, e.Claims); d != "" {
				t.Errorf("claims (-want +got):\n%s", d)
			}
			if name == "empty replies" && (len(e.Skipped) != 3 || e.Reason() != "nothing_claimed" || e.Skipped[2].Kind != extract.Unstated) {
				t.Errorf("got skipped %+v, want 3 unstated sentences", e.Skipped)
			}
		})
	}
	m, x := newExtractor(t, func(_ int, in input) (string, error) {
		if strings.Count(in.Answer, ".") > 1 {
			return "", &llm.LengthError{}
		}
		return list(in.Answer), nil
	}, Extractor{Whole: true})
	e, err := x.Extract(t.Context(), "q", answer)
	if err != nil || len(e.Claims) != 3 || len(m.requests) != 5 {
		t.Errorf("got %+v in %d requests, error %v, want 3 claims in 5 requests", e.Claims, len(m.requests), err)
	}
}

func FuzzExtractor(f *testing.F) {
	f.Add(reply(0, "Mars is red.", 1, "x"))
	f.Add(`{"statements":["Mars is red."]}`)
	f.Add(`{"statements":[{"sentence_id":1,"statement":"a"},{"sentence_id":1,"statement":null}]}`)
	f.Add(`{"statements":null}`)
	_, base := newExtractor(f, nil, Extractor{})
	f.Fuzz(func(t *testing.T, raw string) {
		x := base
		for _, whole := range []bool{false, true} {
			x.Model, x.Whole = &fakeModel{answer: func(int, input) (string, error) { return raw, nil }}, whole
			e, err := x.Extract(t.Context(), "q", "Mars is red. Venus is bright.")
			if err != nil {
				if !whole {
					t.Errorf("got error %v, want none", err)
				}
				continue
			}
			from := map[int]bool{}
			for i, c := range e.Claims {
				if c.ID != i || c.Text == "" {
					t.Errorf("claim %d: got %+v, want ID %d and a text", i, c, i)
				}
				if c.From != nil {
					from[c.From.Start] = true
				} else {
					from[c.Start] = true
				}
			}
			if !whole && (!from[0] || !from[13]) {
				t.Errorf("got %+v, want a claim for each sentence", e.Claims)
			}
		}
	})
}

// Skipped sentences are not sent, except for those that claims may need.
func TestExtractWholeOmitsSkippedSentences(t *testing.T) {
	for answer, want := range map[string]string{
		"Mars is red.": "Mars is red.",
		"<think>Is Mars red? 是</think>\n\nSure! Mars is réd. I don't know more. Anything else?": "Mars is réd.",
		"# Mars\n\nMars is red. Do you want more?":                                              "# Mars\n\nMars is red.",
		" \tMars is \xff red.": " \tMars is \xff red.",
	} {
		sent := ""
		_, x := newExtractor(t, func(_ int, in input) (string, error) {
			sent = in.Answer
			return `{"statements":["Mars is red."]}`, nil
		}, Extractor{Whole: true})
		if _, err := x.Extract(t.Context(), "q", answer); err != nil || sent != strings.ToValidUTF8(want, "\ufffd") {
			t.Errorf("%q: got %q, error %v, want %q", answer, sent, err, want)
		}
	}
}
