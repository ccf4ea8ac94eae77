package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// An answer is what a reply says of one claim.
type answer struct {
	label  verdict.Label
	reason string
	chunks []int // as the reply has them, checked by nobody
	quote  string
}

// An object of a reply, with everything that may have any type left as it is.
type said struct {
	ClaimID     json.RawMessage `json:"claim_id"`
	StatementID json.RawMessage `json:"statement_id"`
	ChunkIDs    json.RawMessage `json:"chunk_ids"`
	Quote       json.RawMessage `json:"quote"`
	Reason      json.RawMessage `json:"reason"`
	Verdict     json.RawMessage `json:"verdict"`
}

// reconcile reads a reply on the claims 0 to n-1. It returns a slice of n with
// nil for each claim that has no verdict, more than one, or one of no known
// kind, and says why there are such claims. A reply with an id that was not
// asked for numbers claims in its own way, so none of it is used. The reasons
// hold no words of the reply: they may be shown to the model.
func reconcile(reply json.RawMessage, n int, style Style) (found []*answer, why error) {
	found = make([]*answer, n)
	list, err := listed(reply)
	if err != nil {
		return found, err
	}
	seen := make([]bool, n)
	read := make([]*answer, n)
	for _, e := range list {
		if e.id < 0 || e.id >= n {
			return found, errors.New("a verdict with an id that was not asked for")
		}
		if seen[e.id] {
			read[e.id], why = nil, errors.New("two verdicts on one claim")
			continue
		}
		seen[e.id] = true
		a, err := e.said.answer(style)
		if err != nil {
			why = err
			continue
		}
		read[e.id] = a
	}
	for id := range seen {
		if !seen[id] {
			why = errors.New("a verdict is missing")
		}
	}
	return read, why
}

// An item is an object of a reply with the id that it is for, -1 for none.
type item struct {
	id   int
	said said
}

// listed finds the verdicts of a reply: an array under "verdicts", an object
// there with a member for each id, or either of them bare.
func listed(reply json.RawMessage) ([]item, error) {
	reply = bytes.TrimSpace(reply)
	if bytes.HasPrefix(reply, []byte("{")) {
		members, err := membersOf(reply)
		if err != nil {
			return nil, err
		}
		inner, times := json.RawMessage(nil), 0
		for _, m := range members {
			if m.name == "verdicts" {
				inner, times = bytes.TrimSpace(m.value), times+1
			}
		}
		if times != 1 {
			return nil, fmt.Errorf("%d members \"verdicts\", want one", times)
		}
		if !bytes.HasPrefix(inner, []byte("[")) {
			return keyed(inner)
		}
		reply = inner
	}
	var list []json.RawMessage
	if err := json.Unmarshal(reply, &list); err != nil {
		return nil, errors.New("\"verdicts\" is no list")
	}
	items := make([]item, len(list))
	for i, raw := range list {
		var s said
		if err := json.Unmarshal(raw, &s); err != nil {
			return nil, errors.New("an element of \"verdicts\" is no object")
		}
		id := s.ClaimID
		if id == nil {
			id = s.StatementID
		}
		items[i] = item{id: llm.Index(id), said: s}
	}
	return items, nil
}

// keyed reads an object with a member for each id.
func keyed(raw json.RawMessage) ([]item, error) {
	members, err := membersOf(raw)
	if err != nil {
		return nil, errors.New("\"verdicts\" is neither a list nor an object")
	}
	items := make([]item, len(members))
	for i, m := range members {
		if err := json.Unmarshal(m.value, &items[i].said); err != nil {
			return nil, errors.New("an element of \"verdicts\" is no object")
		}
		items[i].id = key(m.name)
	}
	return items, nil
}

// key reads the name of a member as an id.
func key(name string) int {
	raw, err := json.Marshal(name)
	if err != nil {
		return -1
	}
	return llm.Index(raw)
}

type member struct {
	name  string
	value json.RawMessage
}

// membersOf lists the members of an object, those of the same name too.
func membersOf(raw json.RawMessage) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("no object")
	}
	var out []member
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := t.(string)
		m := member{name: name}
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	_, err := d.Token()
	return out, err
}

func (s said) answer(style Style) (*answer, error) {
	a := &answer{reason: oneLine(str(s.Reason))}
	label, ok := labelOf(s.Verdict)
	switch {
	case !ok && style == Ragas:
		return nil, errors.New("a verdict that is neither 1 nor 0")
	case !ok:
		return nil, errors.New("a verdict that is none of supported, contradicted and not_mentioned")
	case style == Ragas:
		if label == verdict.Contradicted { // which the style does not distinguish
			label = verdict.NotMentioned
		}
		a.label = label
		return a, nil
	}
	a.label = label
	a.chunks = numbers(s.ChunkIDs)
	a.quote = str(s.Quote)
	return a, nil
}

// numbers reads a list of ids, or one id alone. What is no number is left out.
func numbers(raw json.RawMessage) []int {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	var out []int
	for _, e := range list {
		if n := llm.Index(e); n >= 0 {
			out = append(out, n)
		}
	}
	return out
}

// labelOf reads a verdict in the spellings of models that are not held to a schema:
// 1 and 0 as a number or a string, true and false, yes and no, and the words of the
// prompts with their usual variants. It is not ok for anything else.
func labelOf(raw json.RawMessage) (label verdict.Label, ok bool) {
	word := strings.TrimSpace(string(raw))
	if text := str(raw); text != "" {
		word = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(text)), ".")
	}
	switch strings.NewReplacer(" ", "_", "-", "_").Replace(word) {
	case "supported", "faithful", "entailed", "yes", "true":
		return verdict.Supported, true
	case "contradicted":
		return verdict.Contradicted, true
	case "not_mentioned", "not_supported", "unsupported", "not_faithful", "unfaithful", "not_entailed", "no", "false":
		return verdict.NotMentioned, true
	}
	switch whole, fraction, point := strings.Cut(word, "."); {
	case point && (fraction == "" || strings.Trim(fraction, "0") != ""):
		return 0, false
	case whole == "1":
		return verdict.Supported, true
	case whole == "0":
		return verdict.NotMentioned, true
	}
	return 0, false
}

// str is a JSON string's text, "" for anything else.
func str(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
