package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxValues limits the values in a reply, and the objects and arrays in each of them. More
// are runaway generation.
const maxValues = 4096

var (
	errTooManyValues = errors.New("it contains too many JSON values")
	errSameName      = errors.New("an object in its JSON has a name twice")
)

// parse returns the JSON value in a reply that schema accepts, in time linear in the reply. A reply
// that is such a value, bare or in one code fence, is returned unchanged. Otherwise parse returns
// the only complete object or array that is accepted, wherever it occurs: in prose, after others,
// in a fence, as a JSON string, or as the only value of an object. It tolerates trailing commas,
// single quotes, Python literals, unquoted keys, line comments and line breaks in strings.
//
// The model's reasoning is skipped, see Answer. Values for which echo returns true
// repeat the prompt and are skipped too. The error is that of ctx if it is done.
//
// A reply with several different values is a *ParseError. So is one that ends with a
// truncated value, even after a complete one, and a value inside a truncated or malformed
// one, since it may be a quotation.
func parse(ctx context.Context, reply string, schema *Schema, echo func(value string) bool) (json.RawMessage, error) {
	if v := parseAlone(reply, schema, echo); v != nil {
		return v, nil
	}
	text, ok := answerOf(reply)
	if !ok {
		return nil, &ParseError{Reason: "it ends while the model still reasons", Text: reply, NoAnswer: true}
	}
	var found json.RawMessage // the first value that does not repeat the prompt
	var rejection error
	sawValue, broken, tried := false, false, 0
	for i := 0; i < len(text); {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		j := strings.IndexAny(text[i:], "{[")
		if j < 0 {
			break
		}
		i += j
		r := relaxedParser{src: text, pos: i}
		err := r.value(0)
		switch {
		case err == nil:
			sawValue = true
			if tried++; tried > maxValues {
				return nil, &ParseError{Reason: errTooManyValues.Error(), Text: reply}
			}
			v, reason := acceptValue(r.out, schema)
			isCorrection := reason != nil && found != nil && sharesNames(found, r.out) && !echo(string(r.out))
			switch {
			case reason != nil && !isCorrection:
				rejection = reason
			case !isCorrection && (found != nil && bytes.Equal(compact(found), compact(v)) || echo(string(v))):
			case found != nil: // any of them may be a quotation, even the last one
				return nil, &ParseError{Reason: "it contains several different results", Text: reply}
			default:
				found = v
			}
			i = r.pos
		case errors.Is(err, errTruncated):
			if !r.sawKey { // a lone bracket in prose
				sawValue = true
				i = len(text)
				break
			}
			return nil, &ParseError{Reason: "it is cut off", Text: reply}
		default:
			i = max(r.pos, i+1)
			if r.sawKey { // the rest of the line may be a quotation inside the malformed value
				sawValue, broken = true, broken || found != nil
				i = nextLineStart(text, i)
			}
		}
	}
	switch {
	case broken: // what follows may be the result, and the value before it a quotation
		return nil, &ParseError{Reason: "the end of its JSON is broken", Text: reply}
	case found != nil:
		return found, nil
	case rejection != nil:
		return nil, &ParseError{Reason: rejection.Error(), Text: reply}
	case sawValue:
		return nil, &ParseError{Reason: "its JSON is broken, or only repeats the prompt", Text: reply}
	case strings.TrimSpace(text) == "":
		return nil, &ParseError{Reason: "it is empty", Text: reply, NoAnswer: true}
	}
	return nil, &ParseError{Reason: "there is no JSON in it", Text: reply}
}

// answerOf is Answer, but a reply that starts with JSON contains no reasoning: a tag in it
// is a quotation, unless nothing follows.
func answerOf(reply string) (answer string, ok bool) {
	answer, ok = Answer(reply)
	start := lowerASCII(strings.TrimSpace(reply))
	if startsWithJSON(start) && !strings.HasPrefix(start, "[think]") && (!ok || strings.TrimSpace(answer) != "") {
		return reply, true
	}
	return answer, ok
}

// parseAlone returns the value if the reply consists of it, or of reasoning and a value that
// does not repeat the prompt, whose tag may be a quotation too.
func parseAlone(reply string, schema *Schema, echo func(value string) bool) json.RawMessage {
	if v := parseWhole(reply, schema); v != nil {
		return v
	}
	answer, ok := answerOf(reply)
	if v := parseWhole(answer, schema); ok && v != nil && !echo(string(v)) {
		return v
	}
	return nil
}

// parseWhole returns the complete reply if it is the value.
func parseWhole(text string, schema *Schema) json.RawMessage {
	for _, t := range []string{text, trimFence(text)} {
		b := []byte(strings.TrimPrefix(strings.TrimSpace(t), "\ufeff"))
		if !withinDepth(b) || !json.Valid(b) {
			continue
		}
		if v, err := acceptValue(b, schema); err == nil {
			return v
		}
		var inner string
		if json.Unmarshal(b, &inner) == nil && withinDepth([]byte(inner)) && json.Valid([]byte(inner)) {
			if v, err := acceptValue([]byte(inner), schema); err == nil {
				return v
			}
		}
	}
	return nil
}

// acceptValue returns v if the schema accepts it. It also tries the only value of an
// object with a single key, since some models wrap the result.
func acceptValue(v []byte, schema *Schema) (json.RawMessage, error) {
	if values, _ := countValues(v); values > maxValues {
		return nil, errTooManyValues
	}
	if _, twice := memberNames(v); twice {
		return nil, errSameName
	}
	err := schema.Accept(v)
	if err == nil {
		return v, nil
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(v, &m) == nil && len(m) == 1 {
		for _, inner := range m {
			if len(inner) > 0 && (inner[0] == '{' || inner[0] == '[') && schema.Accept(inner) == nil {
				return inner, nil
			}
		}
	}
	return nil, err
}

// sharesNames reports whether two values have at least two names of members in common, as a result
// and a correction of a part of it have.
func sharesNames(a, b []byte) bool {
	names, _ := memberNames(a)
	others, _ := memberNames(b)
	maps.DeleteFunc(names, func(name string, _ bool) bool { return !others[name] })
	return len(names) > 1
}

// memberNames returns the names of all members of objects in v in lower case, and whether one of
// the objects has two whose names differ at most in case, as package json reads them. Only one of
// them would be read.
func memberNames(v []byte) (names map[string]bool, twice bool) {
	names = map[string]bool{}
	dec := jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var open []map[string]bool // names of the objects around the next token; nil for an array
	for {
		kind := dec.PeekKind()
		_, length := dec.StackIndex(dec.StackDepth())
		tok, err := dec.ReadToken()
		if err != nil {
			return names, false
		}
		switch {
		case kind == '{':
			open = append(open, map[string]bool{})
		case kind == '[':
			open = append(open, nil)
		case kind == '}' || kind == ']':
			open = open[:len(open)-1]
		case kind == '"' && len(open) > 0 && open[len(open)-1] != nil && length%2 == 0: // a name
			name := strings.ToLower(tok.String())
			if open[len(open)-1][name] {
				return names, true
			}
			open[len(open)-1][name], names[name] = true, true
		}
	}
}

// trimFence returns the content of a text that is a single code fence.
func trimFence(text string) string {
	text = strings.TrimSpace(text)
	body, opened := strings.CutPrefix(text, "```")
	body, closed := strings.CutSuffix(body, "```")
	_, body, ok := strings.Cut(body, "\n")
	if !opened || !closed || !ok {
		return text
	}
	return body
}

// lineOfJSON matches the line feed before a line that starts with a brace or bracket.
var lineOfJSON = regexp.MustCompile(`\n[ \t]{0,63}[{\[]`)

// nextLineStart returns the next offset at which a line starts with a brace or bracket.
func nextLineStart(text string, i int) int {
	if found := lineOfJSON.FindStringIndex(text[i:]); found != nil {
		return i + found[0] + 1
	}
	return len(text)
}

// withinDepth reports whether the nesting of b is within the limit of the parser.
func withinDepth(b []byte) bool {
	_, depth := countValues(b)
	return depth <= maxDepth
}

// ParseIndex parses the id of a claim, sentence or chunk in a reply: a number of at
// most six digits, as a number or a string, such as 1.0, "#1" or "claim_1". It returns
// -1 for anything else. Prompts count from 0. If a reply counts from 1, only the caller
// can detect that from all of its ids.
func ParseIndex(raw json.RawMessage) int {
	s := string(raw)
	var text string
	if json.Unmarshal(raw, &text) == nil {
		s = strings.ToLower(strings.TrimSpace(text))
		for _, prefix := range []string{"claim", "statement", "sentence", "chunk"} {
			if rest, ok := strings.CutPrefix(s, prefix); ok {
				s = strings.TrimLeft(rest, " _-")
			}
		}
		s = strings.TrimPrefix(s, "#")
	}
	s = strings.TrimSpace(s)
	if whole, fraction, ok := strings.Cut(s, "."); ok && fraction != "" && strings.Trim(fraction, "0") == "" {
		s = whole
	}
	if s == "" || len(s) > 6 || strings.Trim(s, "0123456789") != "" {
		return -1
	}
	n, _ := strconv.Atoi(s) // a few digits
	return n
}
