package tokenizer

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

func countSpecials(slots []slot) int {
	n := 0
	for _, s := range slots {
		n += len(s.ids)
	}
	return n
}

// encoding builds the encoding from the tokens of the texts.
func encoding(slots []slot, tokens [2][]token) Encoding {
	n := countSpecials(slots)
	for _, s := range slots {
		if s.sequence != special {
			n += len(tokens[s.sequence])
		}
	}
	e := Encoding{
		IDs:      make([]int32, 0, n),
		TypeIDs:  make([]int32, 0, n),
		Offsets:  make([][2]int, 0, n),
		Sequence: make([]int8, 0, n),
	}
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
