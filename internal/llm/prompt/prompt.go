// Package prompt holds what language models are asked, as text templates that
// a user may replace.
//
// A prompt is a system message, which is the same for all rows, and a user
// message, which holds the texts of one row. The long parts that requests share
// come first (instructions, then contexts), so that a server which caches the
// beginnings of prompts has something to reuse.
//
// Texts of a dataset reach a template only as JSON, already escaped: whatever a
// text says, it stays one string of one JSON object in one message.
package prompt

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"text/template"
)

// A Name is one of the prompts.
type Name string

// The prompts.
const (
	Claims      Name = "claims"       // sentences of an answer -> statements of each
	Judge       Name = "judge"        // claims and chunks -> verdict, reason, chunks and quote of each
	JudgeWord   Name = "judge-word"   // a claim and chunks -> yes or no, in one word
	RagasClaims Name = "ragas-claims" // answer -> statements
	RagasJudge  Name = "ragas-judge"  // statements and one context -> 1 or 0 of each
	RagEvals    Name = "rag-evals"    // sentences of an answer and chunks -> statements with their verdicts
)

// An Item is a numbered text of a prompt.
type Item struct {
	ID      int    `json:"id"`
	Text    string `json:"text"`
	Heading string `json:"heading,omitempty"` // what a sentence stands under
}

// Data is what a template is filled with. A prompt uses the fields that it
// needs; see the comment that begins its template.
type Data struct {
	Strict    bool   // only what is stated counts, inferences do not
	Again     bool   // an earlier reply to the same was not good enough
	Question  string // of the row; may be empty
	Answer    string // the whole answer
	Before    string // what the answer says before Sentences
	Sentences []Item // to be broken into statements
	Contexts  []Item // chunks
	Joined    string // all contexts as one text
	Claims    []Item // to be judged
}

// A Text is a prompt as it is sent.
type Text struct {
	System, User string
	Version      string // name and version, such as "judge/1"
}

// A Set is one template for each prompt. It may be used by many goroutines.
type Set struct{ templates map[Name]*entry }

type entry struct {
	version string
	parsed  *template.Template
}

// Version is the name and version of a prompt: "judge/1" for one that is built
// in, and a hash in place of the number for one that was changed. It is "" for
// a name that there is not.
func (s *Set) Version(n Name) string {
	if e := s.templates[n]; e != nil {
		return e.version
	}
	return ""
}

// Render fills a prompt. The same data gives the same bytes.
func (s *Set) Render(n Name, d Data) (Text, error) {
	e := s.templates[n]
	if e == nil {
		return Text{}, fmt.Errorf("there is no prompt %q", n)
	}
	v := d.encode()
	most := mostFilled
	for _, text := range []encoded{v.Question, v.Answer, v.Before, v.Joined, v.Sentences, v.Contexts, v.Claims} {
		most += 4 * len(text) // one may be shown more than once
	}
	t := Text{Version: e.version}
	for _, part := range []struct {
		name string
		to   *string
	}{{"system", &t.System}, {"user", &t.User}} {
		b := bounded{most: most}
		if err := e.parsed.ExecuteTemplate(&b, part.name, v); err != nil {
			return Text{}, fmt.Errorf("prompt %s: %w", n, err)
		}
		*part.to = b.String()
	}
	return t, nil
}

// versionOf names a template by its text.
func versionOf(b builtin, text []byte) string {
	if bytes.Equal(text, b.text) {
		return fmt.Sprintf("%s/%d", b.name, b.version)
	}
	sum := sha256.Sum256(text)
	return string(b.name) + "/" + hex.EncodeToString(sum[:6])
}
