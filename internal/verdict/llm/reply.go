package llm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// Members of a verdict in a JSON Schema.
const (
	chunkIDsField = `"chunk_ids":{"type":"array","items":{"type":"integer"}}`
	quoteField    = `"quote":{"type":"string"}`
	reasonField   = `"reason":{"type":"string"}`
	labelField    = `"verdict":{"type":"string","enum":["supported","contradicted","not_mentioned"]}`
	binaryField   = `"verdict":{"type":"integer","enum":[1,0]}`
	factField     = `"verdict":{"type":"string","enum":["yes","no","idk"]}`
)

// schemaOf returns the schema of a reply with n verdicts. In the first attempt it is the same for
// all rows because servers include it in the cached prompt prefix. In later attempts it contains a
// property for each claim, which forces the model to return every verdict. In the last attempt it
// contains only the verdict: a small model may never end a reason, but can still choose a label.
func schemaOf(style Style, n, attempt int) *llm.Schema {
	name, id, fields := "verdicts", "claim_id", []string{chunkIDsField, quoteField, reasonField, labelField}
	switch {
	case style == DeepEval:
		name, fields = "contradiction_verdicts", []string{reasonField, factField}
	case style == Ragas:
		name, id, fields = "binary_verdicts", "statement_id", []string{reasonField, binaryField}
	case attempt == maxAttempts-1:
		fields = []string{labelField}
	}
	verdicts := `{"type":"array","items":` + object(append([]string{`"` + id + `":{"type":"integer"}`}, fields...)) + `}`
	if attempt > 0 {
		name += "_by_id"
		byID := make([]string, n)
		for i := range byID {
			byID[i] = strconv.Quote(strconv.Itoa(i)) + ":" + object(fields)
		}
		verdicts = object(byID)
	}
	schema := object([]string{`"verdicts":` + verdicts})
	return &llm.Schema{
		Name:    name,
		JSON:    json.RawMessage(schema),
		Bounded: bounded(schema, n),
		Accept: func(raw json.RawMessage) error {
			answers, _, reason := reconcile(raw, n, style)
			complete := !slices.Contains(answers, nil)
			hasAny := slices.ContainsFunc(answers, func(a *answer) bool { return a != nil })
			if complete || hasAny && attempt < maxAttempts-1 { // the next attempt contains only the other claims
				return nil
			}
			return cmp.Or(reason, errors.New("it has no verdict"))
		},
	}
}

// bounded limits values that a model may generate endlessly: reasons and quotes to about forty
// words, chunk ids to 16, and lists of verdicts or statements to n.
func bounded(schema string, n int) json.RawMessage {
	var replacements []string
	for _, name := range []string{"reason", "reasoning", "quote"} {
		text := `"` + name + `":{"type":"string"`
		replacements = append(replacements, text+"}", text+`,"maxLength":240}`)
	}
	for name, limit := range map[string]int{"verdicts": n, "statements": n, "chunk_ids": 16} {
		list := `"` + name + `":{"type":"array",`
		replacements = append(replacements, list, list+`"maxItems":`+strconv.Itoa(limit)+`,`)
	}
	return json.RawMessage(strings.NewReplacer(replacements...).Replace(schema))
}

// object returns the schema of an object with members, all of which are required.
func object(members []string) string {
	names := make([]string, len(members))
	for i, m := range members {
		names[i], _, _ = strings.Cut(m, ":")
	}
	return `{"type":"object","properties":{` + strings.Join(members, ",") + `},"required":[` + strings.Join(names, ",") + `],"additionalProperties":false}`
}

// A rawVerdict is an undecoded verdict in a reply. Models use different types for its fields.
type rawVerdict struct {
	ClaimID     json.RawMessage `json:"claim_id"`
	StatementID json.RawMessage `json:"statement_id"`
	ChunkIDs    json.RawMessage `json:"chunk_ids"`
	Quote       json.RawMessage `json:"quote"`
	Reason      json.RawMessage `json:"reason"`
	Verdict     json.RawMessage `json:"verdict"`

	id int // of its claim, or -1 if the id in the reply is invalid
}

// reconcile matches a reply to the claims 0 to n-1. It returns n answers, which
// are nil for claims with no verdict, an unknown one, or several, the same answers
// in the order of the reply, and the reason. If the reply contains an unknown id or
// may count from one, the model numbered the claims differently, so the whole reply is discarded. The reason
// contains no text of the reply because it may be sent to the model.
func reconcile(reply json.RawMessage, n int, style Style) (answers, ordered []*answer, reason error) {
	verdicts, err := verdictsIn(reply)
	if err != nil {
		return make([]*answer, n), nil, err
	}
	seen := make([]bool, n)
	answers = make([]*answer, n)
	for _, v := range verdicts {
		if v.id < 0 || v.id >= n {
			return make([]*answer, n), nil, errors.New("a verdict with an id that was not asked for")
		}
		if seen[v.id] {
			answers[v.id], reason = nil, errors.New("two verdicts on one claim")
			continue
		}
		seen[v.id] = true
		a, err := v.answer(style)
		if err != nil {
			reason = err
			continue
		}
		answers[v.id] = a
	}
	if countsFromOne(verdicts, n) {
		return make([]*answer, n), nil, errors.New("a verdict is missing, the first or the last one")
	}
	if slices.Contains(seen, false) {
		reason = errors.New("a verdict is missing")
	}
	for _, v := range verdicts {
		ordered = append(ordered, answers[v.id])
	}
	return answers, ordered, reason
}

// countsFromOne reports whether the ids of a list are 1 to n-1: the model may have numbered the claims from one and left out the last.
func countsFromOne(verdicts []rawVerdict, n int) bool {
	for i, v := range verdicts {
		if isMember := v.ClaimID == nil && v.StatementID == nil; isMember || v.id != i+1 {
			return false
		}
	}
	return n > 1 && len(verdicts) == n-1
}

// verdictsIn returns the verdicts in a reply. It accepts an array, or an object with a member for
// each id, under "verdicts", and an array at the top level. No object has a name twice.
func verdictsIn(reply json.RawMessage) ([]rawVerdict, error) {
	reply = bytes.TrimSpace(reply)
	if bytes.HasPrefix(reply, []byte("{")) {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(reply, &members); err != nil {
			return nil, err
		}
		if members["verdicts"] == nil {
			return nil, errors.New("no member \"verdicts\"")
		}
		if reply = bytes.TrimSpace(members["verdicts"]); !bytes.HasPrefix(reply, []byte("[")) {
			return verdictsByID(reply)
		}
	}
	var list []json.RawMessage
	if err := json.Unmarshal(reply, &list); err != nil {
		return nil, errors.New("\"verdicts\" is not a list")
	}
	verdicts := make([]rawVerdict, len(list))
	for i, raw := range list {
		v := &verdicts[i]
		if err := json.Unmarshal(raw, v); err != nil {
			return nil, errors.New("an element of \"verdicts\" is not an object")
		}
		if v.id = llm.ParseIndex(v.ClaimID); v.ClaimID == nil {
			v.id = llm.ParseIndex(v.StatementID)
		}
	}
	return verdicts, nil
}

// verdictsByID returns the verdicts in an object with a member for each id, in order.
func verdictsByID(raw json.RawMessage) (verdicts []rawVerdict, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("\"verdicts\" is neither a list nor an object")
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		v := rawVerdict{}
		if err := d.Decode(&v); err != nil {
			return nil, errors.New("an element of \"verdicts\" is not an object")
		}
		name, _ := json.Marshal(t) // a string can't fail
		v.id = llm.ParseIndex(name)
		verdicts = append(verdicts, v)
	}
	return verdicts, nil
}

func (v *rawVerdict) answer(style Style) (*answer, error) {
	a := &answer{reason: reasonLine(stringOf(v.Reason)), ofFacts: style == DeepEval}
	ok := false
	a.label, ok = parseLabel(v.Verdict)
	if style == DeepEval { // a claim is supported unless the facts contradict it
		switch strings.ToLower(strings.TrimSpace(stringOf(v.Verdict))) {
		case "yes":
		case "idk":
			a.label, a.reason = verdict.Supported, reasonLine("neither stated nor contradicted: "+a.reason)
		case "no":
			a.label = verdict.Contradicted
		default:
			return nil, errors.New("a verdict that is none of yes, no and idk")
		}
		return a, nil
	}
	switch {
	case !ok && style == Ragas:
		return nil, errors.New("a verdict that is neither 1 nor 0")
	case !ok:
		return nil, errors.New("a verdict that is none of supported, contradicted and not_mentioned")
	case style != Ragas:
		a.chunks, a.quote = indexList(v.ChunkIDs), stringOf(v.Quote)
	case a.label == verdict.Contradicted: // not distinguished by this style
		a.label = verdict.NotMentioned
	}
	return a, nil
}

// indexList parses a list of ids or a single id. It ignores invalid ids.
func indexList(raw json.RawMessage) []int {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	var out []int
	for _, e := range list {
		if n := llm.ParseIndex(e); n >= 0 {
			out = append(out, n)
		}
	}
	return out
}

// parseLabel parses a verdict, including the forms that models use without
// structured output: 1 and 0 as a number or a string, true and false, yes and
// no, and common variants of the words in the prompts.
func parseLabel(raw json.RawMessage) (label verdict.Label, ok bool) {
	word := strings.TrimSpace(string(raw))
	if text := stringOf(raw); text != "" {
		word = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(text)), ".")
	}
	if whole, fraction, _ := strings.Cut(word, "."); (whole == "1" || whole == "0") && fraction != "" && strings.Trim(fraction, "0") == "" {
		word = whole
	}
	word = strings.NewReplacer(" ", "_", "-", "_").Replace(word)
	switch w := defaultWords(); {
	case word == "contradicted":
		return verdict.Contradicted, true
	case slices.Contains(w.supports, word):
		return verdict.Supported, true
	case slices.Contains(w.denies, word):
		return verdict.NotMentioned, true
	}
	return 0, false
}

// stringOf returns the value of a JSON string, or "" for any other value.
func stringOf(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s)
	return s
}

const maxReason = 500 // maximum length of a reason, in runes

// flatten normalizes characters that models change when they copy text. offsets[i] is the offset in
// text of byte i of flat; offsets[len(flat)] is the length of text.
func flatten(text string) (flat string, offsets []int32) {
	var b strings.Builder
	b.Grow(len(text))
	offsets = make([]int32, 0, len(text)+1)
	space := true
	write := func(s string, i int) {
		for range len(s) {
			offsets = append(offsets, int32(i)) //nolint:gosec // contexts are smaller than 2 GiB
		}
		b.WriteString(s)
	}
	for i, r := range text {
		switch {
		case isInvisible(r):
			continue
		case unicode.IsSpace(r):
			if !space {
				write(" ", i)
			}
			space = true
			continue
		case strings.ContainsRune("’‘ʼ`´“”„«»\"", r):
			write("'", i)
		case strings.ContainsRune("‐‑‒–—−", r):
			write("-", i)
		default:
			write(string(unicode.ToLower(r)), i)
		}
		space = false
	}
	flat = strings.TrimRight(b.String(), " ")
	return flat, append(offsets[:len(flat)], int32(len(text))) //nolint:gosec // as above
}

// isInvisible reports whether r is an invisible character, which models omit when they copy text.
func isInvisible(r rune) bool {
	return r == '\u00ad' || r >= '\u200b' && r <= '\u200f' || r == '\u2060' || r == '\ufeff'
}

// plainLine returns s on one line without control characters.
func plainLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if unicode.IsControl(r) || isInvisible(r) || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// reasonLine is plainLine limited to maxReason runes.
func reasonLine(s string) string {
	s = plainLine(s)
	if utf8.RuneCountInString(s) > maxReason {
		s = string([]rune(s)[:maxReason]) + "…"
	}
	return s
}

// find returns the byte offsets of a model's quote in text. If there is no exact match, find
// ignores differences in case, white space, quotation marks, dashes and surrounding punctuation. If
// the quote contains an ellipsis, find also tries its longest part of at least three words.
func find(text, quote string) (start, end int, ok bool) {
	quote = strings.TrimFunc(quote, unicode.IsSpace)
	if !extract.HasWords(quote) {
		return 0, 0, false
	}
	if i := strings.Index(text, quote); i >= 0 {
		return i, i + len(quote), true
	}
	flat, offsets := flatten(text)
	bare := strings.TrimFunc(quote, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) })
	candidates := []string{quote, strings.Trim(quote, " \"'“”‘’„«»…*.[]"), bare}
	longest := ""
	for _, part := range strings.FieldsFunc(strings.ReplaceAll(bare, "...", "…"), func(r rune) bool { return r == '…' }) {
		if part = strings.Trim(part, " []()"); len(part) > len(longest) {
			longest = part
		}
	}
	if longest != bare && len(strings.Fields(longest)) >= 3 {
		candidates = append(candidates, longest)
	}
	for _, q := range candidates {
		q, _ := flatten(q)
		if !extract.HasWords(q) {
			continue
		}
		if i := strings.Index(flat, q); i >= 0 {
			start, end = int(offsets[i]), int(offsets[i+len(q)])
			for end > start {
				r, size := utf8.DecodeLastRuneInString(text[start:end])
				if !unicode.IsSpace(r) && !isInvisible(r) {
					break
				}
				end -= size
			}
			return start, end, true
		}
	}
	return 0, 0, false
}
