// Package prompt renders the prompts for language models from text templates, which
// users can replace.
//
// A prompt consists of a system message, which is the same for all rows, and a user
// message with the texts of a row. Text shared between requests comes first (instructions,
// then contexts), so that servers can cache prompt prefixes.
//
// Templates receive the texts of a dataset only as escaped JSON, so a text can't break out
// of its string. The exceptions are the prompts of published models, which were trained
// with plain texts: there, only control tokens of chat templates are made ineffective.
package prompt

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	// This fork of text/template cannot call methods, so the linker can remove unused
	// methods of all packages, which makes the binary smaller.
	template "github.com/DataDog/datadog-agent/pkg/template/text"
)

// A Name identifies a prompt.
type Name string

// Names of prompts.
const (
	Claims      Name = "claims"       // sentences of an answer -> statements of each
	Judge       Name = "judge"        // claims and chunks -> verdict, reason, chunks, quote for each claim
	JudgeWord   Name = "judge-word"   // a claim and chunks -> yes or no, in one word
	RagasClaims Name = "ragas-claims" // answer -> statements
	RagasJudge  Name = "ragas-judge"  // statements and one context -> 1 or 0 for each statement
	RagEvals    Name = "rag-evals"    // sentences of an answer and chunks -> statements with their verdicts

	MiniCheck      Name = "minicheck"        // a claim and a document -> Yes or No
	Lynx           Name = "lynx"             // question, document and answer -> PASS or FAIL with reasons
	Guardian       Name = "granite-guardian" // last message after documents and answer -> yes if ungrounded
	DeepEvalTruths Name = "deepeval-truths"  // chunks -> facts
	DeepEvalJudge  Name = "deepeval-judge"   // claims and facts -> yes, no or idk for each claim
)

// An Item is a numbered text in a prompt.
type Item struct {
	ID      int    `json:"id"`
	Text    string `json:"text"`
	Heading string `json:"heading,omitempty"` // heading of the section, for sentences
}

// Data contains the fields of all templates. The comment at the start of each
// template lists the fields it uses.
type Data struct {
	Strict    bool   // accept explicit statements only, no inference
	Again     bool   // the request is a retry after an unusable reply
	Question  string // may be empty
	Answer    string // the whole answer
	Before    string // part of the answer before Sentences
	Sentences []Item // to rewrite as statements
	Contexts  []Item // chunks
	Joined    string // all contexts as one text
	Claims    []Item // to judge
}

// A Text is a rendered prompt.
type Text struct {
	System, User string
	Version      string // name and version, such as "judge/1"
}

// A Set contains a template for each prompt. It is safe for concurrent use.
type Set struct{ templates map[Name]*loadedPrompt }

type loadedPrompt struct {
	version string
	text    string
	parsed  *template.Template
}

// Version returns the name and version of a prompt, such as "judge/1". Custom
// prompts have a hash instead of a version number. It returns "" for an unknown name.
func (s *Set) Version(n Name) string {
	if p := s.templates[n]; p != nil {
		return p.version
	}
	return ""
}

// Render renders a prompt. Its output is deterministic.
func (s *Set) Render(n Name, d Data) (Text, error) {
	p := s.templates[n]
	if p == nil {
		return Text{}, fmt.Errorf("unknown prompt %q", n)
	}
	v := d.encode(func(field string) bool { return strings.Contains(p.text, "."+field) })
	limit := maxOutput
	for _, text := range v.texts() {
		limit += 4 * len(*text) // a template may insert a text repeatedly
	}
	t := Text{Version: p.version}
	for _, part := range []struct {
		name string
		dst  *string
	}{{"system", &t.System}, {"user", &t.User}} {
		b := limitedBuffer{limit: limit}
		if err := p.parsed.ExecuteTemplate(&b, part.name, v); err != nil {
			return Text{}, fmt.Errorf("prompt %s: %w", n, err)
		}
		*part.dst = b.String()
	}
	return t, nil
}

// versionOf returns the version of a template, given its text.
func versionOf(b builtin, text []byte) string {
	if bytes.Equal(text, b.text) {
		return fmt.Sprintf("%s/%d", b.name, b.version)
	}
	sum := sha256.Sum256(text)
	return string(b.name) + "/" + hex.EncodeToString(sum[:6])
}
