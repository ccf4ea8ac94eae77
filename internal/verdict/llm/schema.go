package llm

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/llm"
)

const (
	chunksFields = `"chunk_ids":{"type":"array","items":{"type":"integer"}},"quote":{"type":"string"},"reason":{"type":"string"},"verdict":{"type":"string","enum":["supported","contradicted","not_mentioned"]}`
	chunksNames  = `"chunk_ids","quote","reason","verdict"`
	// The last attempt omits the reason: a small model may never end it, but can still
	// choose a label.
	lastFields  = `"verdict":{"type":"string","enum":["supported","contradicted","not_mentioned"]}`
	lastNames   = `"verdict"`
	ragasFields = `"reason":{"type":"string"},"verdict":{"type":"integer","enum":[1,0]}`
	ragasNames  = `"reason","verdict"`

	deepEvalFields = `"reason":{"type":"string"},"verdict":{"type":"string","enum":["yes","no","idk"]}`
)

// schemaOf returns the schema of a reply with n verdicts. In the first attempt
// it is the same for all rows because servers include it in the cached prompt
// prefix. In later attempts it contains a property for each claim, which forces
// the model to return every verdict. In the last attempt it contains only the
// verdict.
func schemaOf(style Style, n, attempt int) *llm.Schema {
	id, fields, names := "claim_id", chunksFields, chunksNames
	name := "verdicts"
	if style == DeepEval {
		fields, names, name = deepEvalFields, ragasNames, "contradiction_verdicts"
	} else if style == Ragas {
		id, fields, names = "statement_id", ragasFields, ragasNames
		name = "binary_verdicts"
	} else if attempt == maxAttempts-1 {
		fields, names = lastFields, lastNames
	}
	var verdicts string
	if attempt == 0 {
		verdicts = `{"type":"array","items":` + object(`"`+id+`":{"type":"integer"},`+fields, `"`+id+`",`+names) + `}`
	} else {
		name += "_by_id"
		one := object(fields, names)
		var properties, required []string
		for i := range n {
			key := strconv.Quote(strconv.Itoa(i))
			properties = append(properties, key+":"+one)
			required = append(required, key)
		}
		verdicts = object(strings.Join(properties, ","), strings.Join(required, ","))
	}
	schema := object(`"verdicts":`+verdicts, `"verdicts"`)
	return &llm.Schema{
		Name:    name,
		JSON:    json.RawMessage(schema),
		Bounded: bounded(schema, n),
		Accept: func(raw json.RawMessage) error {
			answers, _, reason := reconcile(raw, n, style)
			complete := true
			for _, a := range answers {
				if a != nil && attempt < maxAttempts-1 {
					return nil // the next attempt contains only the other claims
				}
				complete = complete && a != nil
			}
			if complete {
				return nil
			}
			if reason == nil {
				return errors.New("it has no verdict")
			}
			return reason
		},
	}
}

// bounded limits values that a model may generate endlessly: reasons and quotes
// to about forty words, chunk ids to 16, and lists of verdicts or statements to
// n.
func bounded(schema string, n int) json.RawMessage {
	const text, short = `{"type":"string"}`, `{"type":"string","maxLength":240}`
	list := func(name string, limit int) (unlimited, limited string) {
		return `"` + name + `":{"type":"array",`, `"` + name + `":{"type":"array","maxItems":` + strconv.Itoa(limit) + `,`
	}
	verdicts, fewVerdicts := list("verdicts", n)
	statements, fewStatements := list("statements", n)
	chunks, fewChunks := list("chunk_ids", 16)
	return json.RawMessage(strings.NewReplacer(
		`"reason":`+text, `"reason":`+short, `"reasoning":`+text, `"reasoning":`+short, `"quote":`+text, `"quote":`+short,
		verdicts, fewVerdicts, statements, fewStatements, chunks, fewChunks,
	).Replace(schema))
}

func object(properties, required string) string {
	return `{"type":"object","properties":{` + properties + `},"required":[` + required + `],"additionalProperties":false}`
}
