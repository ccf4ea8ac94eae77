package dataset

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// A keptSpan is where the value of a kept column stands in an object.
type keptSpan struct {
	name       string
	begin, end int
	spaced     bool
}

// readPlain fills row from an object in which nothing is at fault. For any other
// it reports false, and whoever asked has to find out why; row is as it was.
func (o *objectReader) readPlain(raw []byte, row *Row) bool {
	c := &o.tree.scan
	o.tree.reset()
	c.start(raw, &o.tree)
	o.kept = o.kept[:0]
	order := [...]Field{FieldID, FieldQuestion, FieldAnswer, FieldContexts}
	at := [len(order)]int{-1, -1, -1, -1}
	keeps := o.b.keepAll || len(o.b.keep) > 0
	if len(raw) == 0 || raw[0] != '{' {
		return false
	}
	sound := c.members(func(name []byte) bool {
		found, used := o.b.of[string(name)]
		if used {
			f := slices.Index(order[:], found.field)
			if at[f] >= 0 {
				return false // two columns
			}
			at[f] = len(o.tree.nodes)
		}
		if !keeps {
			return c.value(used, 1)
		}
		kept, clash := o.b.keeps(string(name))
		if clash {
			o.note.once(clashError(string(name)))
		}
		begin := c.at
		c.spaced = false
		ok := c.value(used, 1)
		if kept {
			o.kept = append(o.kept, keptSpan{string(name), begin, c.at, c.spaced})
		}
		return ok
	})
	if !sound || c.at != len(raw) || at[2] < 0 || at[3] < 0 {
		return false
	}
	c.finish()
	filled := Row{Line: row.Line, Offset: row.Offset}
	for f, i := range at {
		if i >= 0 && filled.set(order[f], &o.tree, i) != nil {
			return false
		}
	}
	for _, k := range o.kept {
		value := jsontext.Value(bytes.Clone(raw[k.begin:k.end]))
		if k.spaced && value.Compact() != nil {
			return false
		}
		filled.Kept = append(filled.Kept, Column{Name: k.name, Value: value})
	}
	if o.keepMissing(&filled, false) != nil {
		return false
	}
	*row = filled
	return true
}
