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
	// What is asked for in the last try: a small model that can't end a reason
	// can still choose a word.
	lastFields  = `"verdict":{"type":"string","enum":["supported","contradicted","not_mentioned"]}`
	lastNames   = `"verdict"`
	ragasFields = `"reason":{"type":"string"},"verdict":{"type":"integer","enum":[1,0]}`
	ragasNames  = `"reason","verdict"`
)

// schemaOf is the shape of a reply on n claims. That of the first try is the
// same for every row, since servers keep a prompt's beginning by its schema too.
// That of a later try has one named place for each claim, so that a server which
// holds a model to a schema makes it fill every one; in the last, for nothing but
// the verdict.
func schemaOf(style Style, n, try int) *llm.Schema {
	id, fields, names := "claim_id", chunksFields, chunksNames
	name := "verdicts"
	if style == Ragas {
		id, fields, names = "statement_id", ragasFields, ragasNames
		name = "binary_verdicts"
	} else if try == tries-1 {
		fields, names = lastFields, lastNames
	}
	var list string
	if try == 0 {
		list = `{"type":"array","items":` + object(`"`+id+`":{"type":"integer"},`+fields, `"`+id+`",`+names) + `}`
	} else {
		name += "_by_id"
		one := object(fields, names)
		var places, required []string
		for i := range n {
			key := strconv.Quote(strconv.Itoa(i))
			places = append(places, key+":"+one)
			required = append(required, key)
		}
		list = object(strings.Join(places, ","), strings.Join(required, ","))
	}
	whole := object(`"verdicts":`+list, `"verdicts"`)
	return &llm.Schema{
		Name:  name,
		JSON:  json.RawMessage(whole),
		Bounded: brief(whole, n),
		Accept: func(said json.RawMessage) error {
			found, why := reconcile(said, n, style)
			all := true
			for _, f := range found {
				if f != nil && try < tries-1 {
					return nil // the others are asked again alone
				}
				all = all && f != nil
			}
			if all {
				return nil
			}
			if why == nil {
				return errors.New("it has no verdict")
			}
			return why
		},
	}
}

// brief is a schema with an end to what a model may go on and on with: reasons and
// quotes of some forty words, chunks, and a list of n verdicts.
func brief(schema string, n int) json.RawMessage {
	const text, short = `{"type":"string"}`, `{"type":"string","maxLength":240}`
	list := func(name string, most int) (old, bounded string) {
		return `"` + name + `":{"type":"array",`, `"` + name + `":{"type":"array","maxItems":` + strconv.Itoa(most) + `,`
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
