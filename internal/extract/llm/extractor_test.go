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

// A writerModel answers by a function of what it was asked, and offers its
// reply to the schema first, as a client does.
type writerModel struct {
	answer func(n int, in asked) (string, error)
	asked  []*llm.Request
}

type asked struct {
	Question  string        `json:"question"`
	Before    string        `json:"before"`
	Answer    string        `json:"answer"`
	Sentences []prompt.Item `json:"sentences"`
}

func (m *writerModel) Complete(ctx context.Context, r *llm.Request) (*llm.Reply, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.asked = append(m.asked, r)
	var in asked
	if err := json.NewDecoder(strings.NewReader(r.Messages[1].Text)).Decode(&in); err != nil {
		return nil, err
	}
	out, err := m.answer(len(m.asked)-1, in)
	if err != nil {
		return nil, err
	}
	if err := r.Schema.Accept(json.RawMessage(out)); err != nil {
		return nil, &llm.ParseError{Reason: err.Error()}
	}
	return &llm.Reply{JSON: json.RawMessage(out), Usage: usage.Usage{Requests: 1}}, nil
}

// stated writes a reply from pairs of sentence id and statement.
func stated(pairs ...any) string {
	var list []map[string]any
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, map[string]any{"sentence_id": pairs[i], "statement": pairs[i+1]})
	}
	b, _ := json.Marshal(map[string]any{"statements": list})
	return string(b)
}

// echo states every sentence as it is.
func echo(_ int, in asked) (string, error) {
	var pairs []any
	for _, s := range in.Sentences {
		pairs = append(pairs, s.ID, s.Text)
	}
	return stated(pairs...), nil
}

func statements(t testing.TB, answer func(int, asked) (string, error), x Extractor) (*writerModel, Extractor) {
	t.Helper()
	p, err := prompt.Load("")
	if err != nil {
		t.Fatal(err)
	}
	m := &writerModel{answer: answer}
	x.Model, x.Prompts = m, p
	return m, x
}

const einstein = "Hello! Here is what I know:\nHe was born in Ulm in 1879. He loved sailing.\n\nI hope this helps!"

func TestExtractMapsStatementsToSentences(t *testing.T) {
	m, x := statements(t, func(_ int, in asked) (string, error) {
		if len(in.Sentences) != 2 || in.Question != "Einstein?" || in.Sentences[0].Heading == "" {
			t.Errorf("asked %+v", in)
		}
		return stated(1, "He loved sailing.", 0, "Einstein was born in Ulm.", 0, " Einstein was\nborn in 1879. "), nil
	}, Extractor{Seed: 4})
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
		t.Error(d)
	}
	if len(e.Skipped) != 3 || e.Usage.Requests != 1 || len(m.asked) != 1 {
		t.Errorf("skipped %+v, usage %+v", e.Skipped, e.Usage)
	}
	if r := m.asked[0]; r.Seed != 4 || r.Temperature != 0 || r.Prompt != "claims/1" || r.MaxTokens < baseReplyTokens || !json.Valid(r.Schema.JSON) {
		t.Errorf("%+v", r)
	}
}

func TestExtractSendsNothingWithoutClaims(t *testing.T) {
	for _, answer := range []string{"", "I don't know.", "Hello!", "```\ncode\n```"} {
		for _, whole := range []bool{false, true} {
			m, x := statements(t, func(int, asked) (string, error) { return "", errors.New("asked") }, Extractor{Whole: whole})
			e, err := x.Extract(t.Context(), "q", answer)
			if err != nil || len(e.Claims) != 0 || len(m.asked) != 0 {
				t.Errorf("%q: %+v %v", answer, e, err)
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
		"one left out and given then": {
			stated(0, "Mercury is hot.", 2, "Mars is red."), stated(0, "The planet Venus is bright."),
			[]string{"Mercury is hot.", "The planet Venus is bright.", "Mars is red."},
			2, 2,
		},
		"one left out twice": {
			stated(0, "Mercury is hot.", 2, "Mars is red."), `{"statements":[]}`,
			[]string{"Mercury is hot.", "Venus is bright.", "Mars is red."},
			3, 2,
		},
		"an id that there is not": {
			stated(1, "Mercury is hot.", 2, "Venus is bright.", 3, "Mars is red."), stated(0, "Mercury is hot!", 1, "Venus is bright!", 2, "Mars is red!"),
			[]string{"Mercury is hot!", "Venus is bright!", "Mars is red!"},
			0, 2,
		},
		"nothing of use": {
			`{"claims":"none"}`, `[]`,
			[]string{"Mercury is hot.", "Venus is bright.", "Mars is red."},
			3, 2,
		},
		"empty statements": {
			stated(0, " ", 1, "…", 2, "Mars is red."), stated(0, "", 1, ""),
			[]string{"Mercury is hot.", "Venus is bright.", "Mars is red."},
			3, 2,
		},
		"no text": {
			`{"statements":[{"sentence_id":0}]}`, `{"statements":[{"statement":"x"}]}`,
			[]string{"Mercury is hot.", "Venus is bright.", "Mars is red."},
			3, 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, x := statements(t, func(n int, _ asked) (string, error) { return []string{tt.first, tt.second}[n], nil }, Extractor{})
			e, err := x.Extract(t.Context(), "q", answer)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			verbatim := 0
			for i, c := range e.Claims {
				got = append(got, c.Text)
				if c.ID != i {
					t.Errorf("claim %d has the id %d", i, c.ID)
				}
				if c.Start >= 0 {
					verbatim++
					if answer[c.Start:c.End] != c.Text || c.From != nil {
						t.Errorf("%+v", c)
					}
				} else if c.From == nil {
					t.Errorf("%+v comes from nowhere", c)
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" || verbatim != tt.verbatim || len(m.asked) != tt.requests {
				t.Errorf("%d verbatim, %d requests, %s", verbatim, len(m.asked), d)
			}
			if len(m.asked) > 1 && (m.asked[1].Seed != 1 || m.asked[1].Temperature == 0 || !strings.Contains(m.asked[1].Messages[1].Text, "An earlier try")) {
				t.Errorf("asked again as %+v", m.asked[1])
			}
		})
	}
}

func TestInventedStatementsAreRetriedAndMarked(t *testing.T) {
	const answer = "He was born in Ulm in 1879. He loved sailing."
	m, x := statements(t, func(n int, in asked) (string, error) {
		if n == 0 {
			return stated(0, "Einstein was born in Ulm in 1880.", 1, "Einstein loved sailing."), nil
		}
		if len(in.Sentences) != 1 {
			t.Errorf("asked again for %+v", in.Sentences)
		}
		return stated(0, "Einstein was born in Ulm in 1879."), nil
	}, Extractor{})
	e, err := x.Extract(t.Context(), "Einstein?", answer)
	if err != nil || len(m.asked) != 2 || e.Claims[0].Text != "Einstein was born in Ulm in 1879." || e.Claims[0].Invented || e.Claims[1].Invented {
		t.Errorf("%+v %v", e, err)
	}
	m, x = statements(t, func(int, asked) (string, error) {
		return stated(0, "Einstein was born in Ulm in 1879.", 0, "Ulm lies in Germany.", 1, "He loved sailing."), nil
	}, Extractor{})
	m.answer = func(_ int, in asked) (string, error) {
		if len(in.Sentences) == 1 {
			return stated(0, "Einstein was born in Ulm, Germany."), nil
		}
		return stated(0, "Einstein was born in Ulm in 1879.", 0, "Ulm lies in Germany.", 1, "He loved sailing."), nil
	}
	e, err = x.Extract(t.Context(), "Einstein?", answer)
	if err != nil || len(m.asked) != 2 || len(e.Claims) != 3 || !e.Claims[1].Invented || e.Claims[0].Invented {
		t.Errorf("%+v %v", e.Claims, err)
	}
}

func TestInvented(t *testing.T) {
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
		{"", "", false},
	} {
		if got := Invented(tt.text, tt.source); got != tt.want {
			t.Errorf("%q from %q: %t", tt.text, tt.source, got)
		}
	}
}

func TestExtractSplitsLongAnswers(t *testing.T) {
	var b strings.Builder
	for i := range 45 {
		fmt.Fprintf(&b, "Planet number %d is hot. ", i)
	}
	m, x := statements(t, echo, Extractor{})
	e, err := x.Extract(t.Context(), "q", b.String())
	if err != nil || len(e.Claims) != 45 || len(m.asked) != 3 {
		t.Errorf("%d claims, %d requests, %v", len(e.Claims), len(m.asked), err)
	}
	var in asked
	if err := json.Unmarshal([]byte(m.asked[1].Messages[1].Text), &in); err != nil || in.Before != "Planet number 18 is hot. Planet number 19 is hot." {
		t.Errorf("before: %q, %v", in.Before, err)
	}
	for _, limit := range []error{&llm.LengthError{}, &llm.ContextLengthError{}} {
		_, x = statements(t, func(n int, in asked) (string, error) {
			if len(in.Sentences) > 4 {
				return "", limit
			}
			return echo(n, in)
		}, Extractor{})
		e, err = x.Extract(t.Context(), "q", b.String())
		if err != nil || len(e.Claims) != 45 || e.Claims[44].Start < 0 {
			t.Errorf("%d claims, %v", len(e.Claims), err)
		}
	}
	// One sentence that is too much to rewrite is a claim as it is.
	_, x = statements(t, func(int, asked) (string, error) { return "", &llm.LengthError{} }, Extractor{})
	if e, err := x.Extract(t.Context(), "q", "Mars is red."); err != nil || len(e.Claims) != 1 || e.Claims[0].Start != 0 {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestExtractReturnsModelErrors(t *testing.T) {
	for _, want := range []error{&llm.RefusalError{Reason: "refusal"}, &llm.DownError{Cause: errors.New("x")}, &llm.ContextLengthError{}} {
		for _, whole := range []bool{false, true} {
			_, x := statements(t, func(int, asked) (string, error) { return "", want }, Extractor{Whole: whole})
			if e, err := x.Extract(t.Context(), "q", "Mars is red."); !errors.Is(err, want) || e.Claims != nil {
				t.Errorf("%v: %v", want, err)
			}
		}
	}
	_, x := statements(t, echo, Extractor{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Extract(ctx, "q", "Mars is red."); !errors.Is(err, context.Canceled) {
		t.Error(err)
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
		"at once":          {[]string{list("Mercury is hot.", " Mars is\nred. ", "")}, []extract.Claim{{ID: 0, Text: "Mercury is hot.", Start: -1, End: -1}, {ID: 1, Text: "Mars is red.", Start: -1, End: -1}}, 1, false},
		"none at first":    {[]string{list(), list("Mars is red.")}, []extract.Claim{{Text: "Mars is red.", Start: -1, End: -1}}, 2, false},
		"none at all":      {[]string{list(), list()}, nil, 2, false},
		"invented":         {[]string{list("Mars has 2 moons."), list("Mars is red.")}, []extract.Claim{{Text: "Mars is red.", Start: -1, End: -1}}, 2, false},
		"invented twice":   {[]string{list("Mars has 2 moons."), list("Mars has 3 moons.")}, []extract.Claim{{Text: "Mars has 2 moons.", Start: -1, End: -1, Invented: true}}, 2, false},
		"unreadable once":  {[]string{"7", list("Mars is red.")}, []extract.Claim{{Text: "Mars is red.", Start: -1, End: -1}}, 2, false},
		"unreadable twice": {[]string{"7", "{}"}, nil, 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			m, x := statements(t, func(n int, in asked) (string, error) {
				if in.Answer != answer {
					t.Errorf("asked %+v", in)
				}
				return tt.replies[n], nil
			}, Extractor{Whole: true})
			e, err := x.Extract(t.Context(), "q", answer)
			if (err != nil) != tt.fails || len(m.asked) != tt.requests {
				t.Fatalf("%v in %d requests", err, len(m.asked))
			}
			if d := cmp.Diff(tt.want, e.Claims); d != "" {
				t.Error(d)
			}
			if name == "none at all" && (len(e.Skipped) != 3 || e.Reason() != "nothing_claimed" || e.Skipped[2].Kind != extract.Unstated) {
				t.Errorf("skipped %+v", e.Skipped)
			}
		})
	}
	m, x := statements(t, func(_ int, in asked) (string, error) {
		if strings.Count(in.Answer, ".") > 1 {
			return "", &llm.LengthError{}
		}
		return list(in.Answer), nil
	}, Extractor{Whole: true})
	e, err := x.Extract(t.Context(), "q", answer)
	if err != nil || len(e.Claims) != 3 || len(m.asked) != 5 {
		t.Errorf("%+v in %d requests, %v", e.Claims, len(m.asked), err)
	}
}

func FuzzExtractor(f *testing.F) {
	f.Add(stated(0, "Mars is red.", 1, "x"))
	f.Add(`{"statements":["Mars is red."]}`)
	f.Add(`{"statements":[{"sentence_id":1,"statement":"a"},{"sentence_id":1,"statement":null}]}`)
	f.Add(`{"statements":null}`)
	p, err := prompt.Load("")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		for _, whole := range []bool{false, true} {
			m := &writerModel{answer: func(int, asked) (string, error) { return reply, nil }}
			x := Extractor{Model: m, Prompts: p, Whole: whole}
			e, err := x.Extract(t.Context(), "q", "Mars is red. Venus is bright.")
			if err != nil {
				if !whole {
					t.Errorf("a reply failed the row: %v", err)
				}
				continue
			}
			from := map[int]bool{}
			for i, c := range e.Claims {
				if c.ID != i || c.Text == "" {
					t.Errorf("claim %d: %+v", i, c)
				}
				if c.From != nil {
					from[c.From.Start] = true
				} else {
					from[c.Start] = true
				}
			}
			if !whole && (!from[0] || !from[13]) {
				t.Errorf("a sentence is lost: %+v", e.Claims)
			}
		}
	})
}

func TestParseStatementsReadsSentenceIDs(t *testing.T) {
	for id, ok := range map[string]bool{`1`: true, `"1"`: true, `1.0`: true, `"sentence_1"`: true, `2`: false, `"sentence_2"`: false, `1.5`: false, `null`: false, `-1`: false} {
		said, err := parseStatements([]byte(`{"statements":[{"sentence_id":0,"statement":"Mars is red."},{"sentence_id":`+id+`,"statement":"Venus is bright."}]}`), 2)
		if ok != (err == nil) || ok && len(said[1]) != 1 {
			t.Errorf("%s: got %v, %v", id, said, err)
		}
	}
}
