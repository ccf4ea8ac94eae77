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
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
	t, err := execute(p.parsed, v, limit)
	if err != nil {
		return Text{}, fmt.Errorf("prompt %s: %w", n, err)
	}
	t.Version = p.version
	return t, nil
}

// execute returns the messages of a template, of at most limit bytes each.
func execute(t *template.Template, v templateData, limit int) (Text, error) {
	system, user := limitedBuffer{limit: limit}, limitedBuffer{limit: limit}
	err := t.ExecuteTemplate(&system, "system", v)
	if err == nil {
		err = t.ExecuteTemplate(&user, "user", v)
	}
	return Text{System: system.String(), User: user.String()}, err
}

// versionOf returns the version of a template, given its text.
func versionOf(b builtin, text []byte) string {
	if bytes.Equal(text, b.text) {
		return fmt.Sprintf("%s/%d", b.name, b.version)
	}
	sum := sha256.Sum256(text)
	return string(b.name) + "/" + hex.EncodeToString(sum[:6])
}

// A templateData is Data for templates. All texts are already encoded as JSON;
// templates can't access the originals.
type templateData struct {
	Strict, Again                    bool
	Question, Answer, Before, Joined encoded
	Sentences, Contexts, Claims      encoded

	// Plain texts for the prompts of published models: Joined, the first of Claims, and Question.
	Document, Claim, PlainQuestion encoded
}

// An encoded is JSON with one line per list item.
type encoded string

// texts returns the fields with texts by name.
func (v *templateData) texts() map[string]*encoded {
	return map[string]*encoded{
		"Question": &v.Question, "Answer": &v.Answer, "Before": &v.Before, "Joined": &v.Joined,
		"Sentences": &v.Sentences, "Contexts": &v.Contexts, "Claims": &v.Claims,
		"Document": &v.Document, "Claim": &v.Claim, "PlainQuestion": &v.PlainQuestion,
	}
}

// encode encodes the fields for which uses returns true.
func (d Data) encode(uses func(field string) bool) templateData {
	v := templateData{Strict: d.Strict, Again: d.Again}
	claim := ""
	if len(d.Claims) > 0 {
		claim = d.Claims[0].Text
	}
	text := func(s string) func() encoded { return func() encoded { return encoded(escape(s)) } }
	items := func(list []Item) func() encoded { return func() encoded { return encodeItems(list) } }
	plain := func(s string) func() encoded { return func() encoded { return encoded(Plain(s)) } }
	fields := v.texts()
	for name, encode := range map[string]func() encoded{
		"Question": text(d.Question), "Answer": text(d.Answer), "Before": text(d.Before), "Joined": text(d.Joined),
		"Sentences": items(d.Sentences), "Contexts": items(d.Contexts), "Claims": items(d.Claims),
		"Document": plain(d.Joined), "Claim": plain(claim), "PlainQuestion": plain(d.Question),
	} {
		if uses(name) {
			*fields[name] = encode()
		}
	}
	return v
}

func encodeItems(list []Item) encoded {
	var b strings.Builder
	b.WriteByte('[')
	for i, it := range list {
		if i > 0 {
			b.WriteString(",\n")
		}
		b.WriteString(escape(it))
	}
	b.WriteByte(']')
	return encoded(b.String())
}

// escape encodes v as JSON without sequences that look like control tokens of a chat template.
// Servers convert "<|im_end|>" or "[/INST]" in a message to the control token, which would end the
// message. escape writes the first character of such sequences as an escape sequence. Other
// characters are unchanged because models copy quotes from this text.
func escape(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // encoding strings and numbers can't fail
	raw := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	out := make([]byte, 0, len(raw)+16)
	for i, c := range raw {
		switch {
		case c == '<' && isTagStart(raw[i+1:]):
			out = append(out, `\u003c`...)
		case c == '[' && isMarkStart(raw[i+1:]):
			out = append(out, `\u005b`...)
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

// isTagStart reports whether s, the text after a <, continues like "|im_end|>", "/s>",
// "<SYS>>", "start_of_turn>" or "｜end▁of▁sentence｜>".
func isTagStart(s []byte) bool {
	return startsSpecial(s) || len(s) > 0 && s[0]|0x20-'a' < 26
}

// startsSpecial reports whether s starts with a character that begins only special tokens
// after a <.
func startsSpecial(s []byte) bool {
	return len(s) > 0 && (strings.IndexByte("|/<_!", s[0]) >= 0 || s[0] >= utf8.RuneSelf)
}

// isMarkStart reports whether s, the text after a [, continues like "INST]", "/INST]" or "gMASK]".
func isMarkStart(s []byte) bool {
	if len(s) > 0 && s[0] == '/' {
		s = s[1:]
	}
	capitals := 0
	for i, c := range s {
		switch {
		case c-'A' < 26:
			capitals++
		case c-'a' < 26, c == '_', c-'0' < 10 && i > 0:
		default:
			return c == ']' && capitals > 1
		}
	}
	return false
}

// Plain returns s as plain text for a message, without control characters, and with
// a space in sequences that servers could convert to control tokens of a chat template.
func Plain(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	var b strings.Builder
	for i, c := range s {
		if unicode.IsControl(c) && c != '\n' && c != '\t' {
			continue
		}
		b.WriteRune(c)
		if rest := []byte(s[i+1 : min(len(s), i+32)]); c == '<' && isControlTag(rest) || c == '[' && isMarkStart(rest) {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// isControlTag reports whether s, the text after a <, continues like a control token or a
// tag that published judges use, and not like a tag of HTML.
func isControlTag(s []byte) bool {
	lower := strings.ToLower(string(s))
	words := []string{"start_of", "end_of", "s>", "sop", "bos", "eos", "think", "no-think", "score", "guardian", "sys"}
	return startsSpecial(s) || slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(lower, w) })
}
