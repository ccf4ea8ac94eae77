package tokenizer

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A post is a post-processor.
type post struct {
	single []slot
	pair   []slot
}

// A slot is the position of a text or special tokens.
type slot struct {
	sequence int8 // 0, 1, or special
	typeID   int32
	ids      []int32
}

const special = -1

// unmarshalPair reads a list of two values.
func unmarshalPair(dec *jsontext.Decoder, a, b any) error {
	var pair [2]jsontext.Value
	if err := json.UnmarshalDecode(dec, &pair); err != nil {
		return err
	}
	return errors.Join(json.Unmarshal(pair[0], a), json.Unmarshal(pair[1], b))
}

// A namedID is a list of a token and its id.
type namedID struct{ id int32 }

// UnmarshalJSONFrom reads a list.
func (n *namedID) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var name string
	return unmarshalPair(dec, &name, &n.id)
}

// A jsonSlot is an element of a template; exactly one member is set.
type jsonSlot struct {
	Sequence *jsonPlace `json:"Sequence"`
	Special  *jsonPlace `json:"SpecialToken"`
}

type jsonPlace struct {
	ID     string `json:"id"`
	TypeID int32  `json:"type_id"`
}

type jsonSpecial struct {
	ID     string   `json:"id"`
	IDs    []int32  `json:"ids"`
	Tokens []string `json:"tokens"`
}

// clsPost returns the post-processor of BERT, with type ids 0 and 1, or of
// RoBERTa, with type id 0 only and two separators between the texts.
func clsPost(cls, sep int32, roberta bool) post {
	first := slot{sequence: special, ids: []int32{cls}}
	end := slot{sequence: special, ids: []int32{sep}}
	p := post{single: []slot{first, {sequence: 0}, end}}
	if roberta {
		p.pair = []slot{first, {sequence: 0}, end, end, {sequence: 1}, end}
		return p
	}
	end2 := slot{sequence: special, typeID: 1, ids: []int32{sep}}
	p.pair = []slot{first, {sequence: 0}, end, {sequence: 1, typeID: 1}, end2}
	return p
}

// maxSlots limits the number of texts and special tokens of a template. Templates in use
// have a handful.
const maxSlots = 100

func slots(template []jsonSlot, specials map[string]jsonSpecial, texts int) ([]slot, error) {
	var all []slot
	for i, j := range template {
		var s slot
		switch {
		case (j.Sequence == nil) == (j.Special == nil):
			return nil, fmt.Errorf("item %d: want either a Sequence or a SpecialToken", i)
		case j.Special != nil:
			token, ok := specials[j.Special.ID]
			if !ok {
				return nil, fmt.Errorf("item %d: %q is not in special_tokens", i, j.Special.ID)
			}
			s = slot{sequence: special, typeID: j.Special.TypeID, ids: token.IDs}
		case j.Sequence.ID == "A":
			s = slot{sequence: 0, typeID: j.Sequence.TypeID}
		case j.Sequence.ID == "B" && texts == 2:
			s = slot{sequence: 1, typeID: j.Sequence.TypeID}
		default:
			return nil, fmt.Errorf("item %d: Sequence %q is invalid for %d texts", i, j.Sequence.ID, texts)
		}
		all = append(all, s)
	}
	if len(all) > maxSlots || countSpecials(all) > maxSlots {
		return nil, fmt.Errorf("more than %d items or special tokens", maxSlots)
	}
	return all, nil
}

func countSpecials(slots []slot) int {
	n := 0
	for _, s := range slots {
		n += len(s.ids)
	}
	return n
}

// An Encoding holds the tokens of a text or a pair of texts. Its slices have equal length.
type Encoding struct {
	IDs, TypeIDs []int32
	Offsets      [][2]int // byte range of each token in its text; {0, 0} for inserted special tokens
	Sequence     []int8   // 0 for the first text, 1 for the second, -1 for inserted special tokens
}

func encoding(slots []slot, tokens [2][]token) (e Encoding) {
	for _, s := range slots {
		for _, id := range s.ids {
			e.add(id, s.typeID, [2]int{}, special)
		}
		if s.sequence == special {
			continue
		}
		for _, t := range tokens[s.sequence] {
			e.add(t.id, s.typeID, [2]int{int(t.start), int(t.end)}, s.sequence)
		}
	}
	return e
}

func (e *Encoding) add(id, typeID int32, offsets [2]int, sequence int8) {
	e.IDs = append(e.IDs, id)
	e.TypeIDs = append(e.TypeIDs, typeID)
	e.Offsets = append(e.Offsets, offsets)
	e.Sequence = append(e.Sequence, sequence)
}
