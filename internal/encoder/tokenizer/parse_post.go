package tokenizer

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

var errSecondAdder = errors.New("is not supported after another post-processor that adds tokens")

func parsePost(raw jsontext.Value, path string) (post, error) {
	b := postBuilder{post: post{single: []slot{{sequence: 0}}, pair: []slot{{sequence: 0}, {sequence: 1, typeID: 1}}}}
	if isNull(raw) {
		return b.post, nil
	}
	err := b.add(raw, path, 0)
	return b.post, err
}

// A postBuilder combines the post-processors of a sequence.
type postBuilder struct {
	post
	adds bool // a post-processor that adds tokens was found
}

func (b *postBuilder) add(raw jsontext.Value, path string, depth int) error {
	kind, err := itemType(raw, path, depth, 0)
	if err != nil {
		return err
	}
	if b.adds && kind != "Sequence" {
		return fmt.Errorf("%s: %s %w", path, kind, errSecondAdder)
	}
	switch kind {
	case "Sequence":
		var j struct {
			typed
			Items []jsontext.Value `json:"processors"`
		}
		if err := decode(raw, path, &j); err != nil {
			return err
		}
		for i, item := range j.Items {
			if err := b.add(item, fmt.Sprintf("%s/processors/%d", path, i), depth+1); err != nil {
				return err
			}
		}
		return nil
	case "ByteLevel": // sets only trim_offsets
		return decode(raw, path, new(jsonByteLevel))
	case "BertProcessing", "RobertaProcessing":
		b.adds = true
		return b.cls(raw, path, kind == "RobertaProcessing")
	case "TemplateProcessing":
		b.adds = true
		return b.template(raw, path)
	}
	return fmt.Errorf("%s/type: %q is not supported", path, kind)
}

// A jsonNamedID is a list of a token and its id.
type jsonNamedID struct{ id int32 }

// UnmarshalJSONFrom reads a list.
func (n *jsonNamedID) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	_, err := expect(dec, '[')
	if err == nil {
		_, err = expect(dec, '"')
	}
	if err == nil {
		n.id, err = expectID(dec)
	}
	if err == nil {
		_, err = expect(dec, ']')
	}
	return err
}

func (p *post) cls(raw jsontext.Value, path string, roberta bool) error {
	var j struct {
		typed
		Sep      *jsonNamedID `json:"sep" required:"true"`
		Cls      *jsonNamedID `json:"cls" required:"true"`
		Trim     bool         `json:"trim_offsets"`     // ignored
		AddSpace bool         `json:"add_prefix_space"` // ignored
	}
	if err := decode(raw, path, &j); err != nil {
		return err
	}
	*p = clsPost(j.Cls.id, j.Sep.id, roberta)
	return nil
}

// A jsonPiece is an element of a template; exactly one member is set.
type jsonPiece struct {
	Sequence *jsonSlot `json:"Sequence"`
	Special  *jsonSlot `json:"SpecialToken"`
}

type jsonSlot struct {
	ID     string `json:"id"`
	TypeID int64  `json:"type_id"`
}

type jsonSpecial struct {
	ID     string   `json:"id"`
	IDs    []int64  `json:"ids"`
	Tokens []string `json:"tokens"`
}

func (p *post) template(raw jsontext.Value, path string) error {
	var j struct {
		typed
		Single   []jsonPiece            `json:"single" required:"true"`
		Pair     []jsonPiece            `json:"pair" required:"true"`
		Specials map[string]jsonSpecial `json:"special_tokens"`
	}
	if err := decode(raw, path, &j); err != nil {
		return err
	}
	ids := make(map[string][]int32, len(j.Specials))
	for name, s := range j.Specials {
		list := make([]int32, len(s.IDs))
		for i, id := range s.IDs {
			if id < 0 || id > maxID {
				return fmt.Errorf("%s/special_tokens/%s/ids/%d: %d is not a valid id", path, name, i, id)
			}
			list[i] = int32(id)
		}
		ids[name] = list
	}
	var err error
	if p.single, err = slots(j.Single, ids, 1, path+"/single"); err != nil {
		return err
	}
	p.pair, err = slots(j.Pair, ids, 2, path+"/pair")
	return err
}

// maxPieces limits the number of texts and special tokens of a template. Templates in use
// have a handful.
const maxPieces = 100

func slots(pieces []jsonPiece, ids map[string][]int32, texts int, path string) ([]slot, error) {
	if len(pieces) > maxPieces {
		return nil, fmt.Errorf("%s: %d pieces, the limit is %d", path, len(pieces), maxPieces)
	}
	all := make([]slot, 0, len(pieces))
	for i, piece := range pieces {
		at := fmt.Sprintf("%s/%d", path, i)
		var s slot
		from := cmp.Or(piece.Sequence, piece.Special)
		switch {
		case (piece.Sequence == nil) == (piece.Special == nil):
			return nil, fmt.Errorf("%s: want either a Sequence or a SpecialToken", at)
		case piece.Special != nil:
			list, ok := ids[from.ID]
			if !ok {
				return nil, fmt.Errorf("%s/SpecialToken/id: %q is not in special_tokens", at, from.ID)
			}
			s = slot{sequence: special, ids: list}
		case from.ID == "B" && texts == 2:
			s.sequence = 1
		case from.ID != "A":
			return nil, fmt.Errorf("%s/Sequence/id: %q is invalid for %d texts", at, from.ID, texts)
		}
		if from.TypeID < 0 || from.TypeID > maxID {
			return nil, fmt.Errorf("%s: type id %d is not supported", at, from.TypeID)
		}
		s.typeID = int32(from.TypeID)
		all = append(all, s)
	}
	if n := countSpecials(all); n > maxPieces {
		return nil, fmt.Errorf("%s: %d special tokens, the limit is %d", path, n, maxPieces)
	}
	return all, nil
}
