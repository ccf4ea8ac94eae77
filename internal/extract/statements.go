package extract

import (
	"context"
	"errors"
	"strings"

	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
)

// Statements has a language model rewrite the sentences of an answer into
// statements that can be understood alone, in the answer's language.
//
// Sentences that claim nothing are set apart first, as [Sentences] does it, and
// are not sent: an answer without claims costs nothing. No sentence that claims
// something is lost: one that the model gives no statement for in two tries is
// a claim itself, verbatim.
type Statements struct {
	Model   llm.Completer // required
	Prompts *prompt.Set   // required
	Lang    string        // of the answers, such as "en"; "" where it is not known
	Strict  bool          // a statement is only what a sentence puts into words
	Seed    int           // sent with requests; with 0 the first one has none
	// Whole sends the answer as one text, as Ragas does. Its statements are not
	// mapped to sentences, and there may be none.
	Whole bool
}

const (
	sentencesPerCall = 20
	bytesPerCall     = 8000 // of sentences, which bounds the reply
	statementsTries  = 2
	again            = 0.4 // temperature of what must not come out as before
	neighbours       = 2   // sentences before the first one of a call that it is shown
	roomBase         = 400 // tokens of a reply to nothing
	bytesPerToken    = 2   // at least this many bytes of sentences make a token of statements
)

// Extract returns the statements of answer as claims, each with the sentence it
// came from, in the order of the sentences. A statement that is its sentence to
// the letter is a verbatim claim, with its place in the answer. The error is
// that of the model, such as *llm.RefusalError.
func (x Statements) Extract(ctx context.Context, question, answer string) (Extraction, error) {
	e, err := Sentences{Lang: x.Lang}.Extract(ctx, question, answer)
	if err != nil || len(e.Claims) == 0 {
		return e, err
	}
	w := &writer{Statements: x, question: question, answer: answer, sentences: e.Claims}
	if x.Whole {
		err = w.whole(ctx)
	} else {
		w.headings = headings(e)
		w.got = make([][]statement, len(e.Claims))
		err = w.all(ctx)
	}
	if err != nil {
		return Extraction{Usage: w.usage}, err
	}
	out := Extraction{Claims: w.claims(), Skipped: e.Skipped, Usage: w.usage}
	if len(out.Claims) == 0 {
		for _, c := range e.Claims {
			out.Skip(Skipped{Kind: Unstated, Text: c.Text, Start: c.Start, End: c.End})
		}
	}
	return out, nil
}

// Skip puts s in its place among the skipped sentences.
func (e *Extraction) Skip(s Skipped) {
	i := len(e.Skipped)
	for i > 0 && e.Skipped[i-1].Start > s.Start {
		i--
	}
	e.Skipped = append(e.Skipped[:i:i], append([]Skipped{s}, e.Skipped[i:]...)...)
}

// A statement is what a model made of a sentence.
type statement struct {
	text     string
	invented bool
}

// A writer has one answer rewritten.
type writer struct {
	Statements
	question, answer string
	sentences        []Claim
	headings         []string      // by sentence
	got              [][]statement // by sentence
	loose            []statement   // of no sentence
	usage            llm.Usage
}

// all asks for the statements of every sentence.
func (w *writer) all(ctx context.Context) error {
	var later error
	for from := 0; from < len(w.sentences); {
		to, size := from, 0
		for to < len(w.sentences) && to-from < sentencesPerCall && (to == from || size+len(w.sentences[to].Text) <= bytesPerCall) {
			size += len(w.sentences[to].Text)
			to++
		}
		ids := make([]int, 0, to-from)
		for i := from; i < to; i++ {
			ids = append(ids, i)
		}
		err := w.ask(ctx, ids)
		switch {
		case llm.Deferred(err):
			later = err // the other sentences can be asked about meanwhile
		case err != nil:
			return err
		}
		from = to
	}
	return later
}

// ask asks for the statements of some sentences, and once more for those that
// were left out or that came back with what the answer does not say.
func (w *writer) ask(ctx context.Context, ids []int) error {
	for try := range statementsTries {
		r, err := w.request(ids, try)
		if err != nil {
			return err
		}
		var reply *llm.Reply
		if reply, err = w.Model.Complete(ctx, r); err == nil {
			w.usage = w.usage.Add(reply.Usage)
			w.take(statementsOf(reply.JSON, ids))
		} else {
			w.usage = w.usage.Add(llm.UsageOf(err))
			_, unread := errors.AsType[*llm.ParseError](err)
			cut := llm.CutOff(err)
			_, tooLong := errors.AsType[*llm.ContextLengthError](err)
			switch {
			case (cut || tooLong) && len(ids) > 1:
				n := (len(ids) + 1) / 2
				if err := w.ask(ctx, ids[:n]); err != nil {
					return err
				}
				return w.ask(ctx, ids[n:])
			case unread || cut: // asked again
			default:
				return err
			}
		}
		var left []int
		for _, i := range ids {
			if len(w.got[i]) == 0 || anyInvented(w.got[i]) {
				left = append(left, i)
			}
		}
		if ids = left; len(ids) == 0 {
			return nil
		}
	}
	return nil
}

// take keeps what a reply has for sentences. A second reply is taken only where
// it is better than the first.
func (w *writer) take(said map[int][]string) {
	for i, texts := range said {
		list := make([]statement, 0, len(texts))
		for _, text := range texts {
			list = append(list, statement{text: text, invented: w.invents(i, text)})
		}
		if len(w.got[i]) == 0 || !anyInvented(list) {
			w.got[i] = list
		}
	}
}

func anyInvented(list []statement) bool {
	for _, s := range list {
		if s.invented {
			return true
		}
	}
	return false
}

// invents reports whether a statement has words that come from nowhere near
// sentence i.
func (w *writer) invents(i int, text string) bool {
	sources := []string{w.question, w.headings[i]}
	for j := max(0, i-neighbours); j < min(len(w.sentences), i+2); j++ {
		sources = append(sources, w.sentences[j].Text)
	}
	return Invented(text, sources...)
}

// claims numbers the statements.
func (w *writer) claims() []Claim {
	var out []Claim
	add := func(c Claim) {
		c.ID = len(out)
		out = append(out, c)
	}
	for _, s := range w.loose {
		add(Claim{Text: s.text, Start: -1, End: -1, Invented: s.invented})
	}
	for i, list := range w.got {
		from := w.sentences[i]
		if len(list) == 0 {
			add(from)
			continue
		}
		for _, s := range list {
			if s.text == from.Text {
				add(from)
				continue
			}
			add(Claim{Text: s.text, Start: -1, End: -1, From: &Span{from.Start, from.End}, Invented: s.invented, Citations: from.Citations})
		}
	}
	return out
}

// headings finds for each claim the heading or lead-in that it stands under.
func headings(e Extraction) []string {
	out := make([]string, len(e.Claims))
	s, under := 0, ""
	for i, c := range e.Claims {
		for ; s < len(e.Skipped) && e.Skipped[s].Start < c.Start; s++ {
			if k := e.Skipped[s].Kind; k == Heading || k == LeadIn {
				under = strings.TrimSpace(e.Skipped[s].Text)
			}
		}
		out[i] = under
	}
	return out
}
