package encoder

import (
	"fmt"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// embeddings holds the embedding tables. The input of the network is the normalized sum
// of a row of each.
type embeddings struct {
	words     table
	positions table       // optional
	types     table       // optional
	norm      kernel.Norm // a nil gain means none
	// offset, if not 0, is the first position. Padding tokens are then not counted.
	pad    int32
	offset int
	// oneType means that all tokens have type 0, regardless of the tokenizer.
	oneType bool
}

// check rejects tokens that have no embedding.
func (e *embeddings) check(ids, types []int32) error {
	for _, id := range ids {
		if id < 0 || int(id) >= e.words.rows {
			return fmt.Errorf("token %d, but the model has embeddings for %d: tokenizer.json belongs to another model", id, e.words.rows)
		}
	}
	if e.types.rows == 0 || e.oneType {
		return nil
	}
	for _, t := range types {
		if t < 0 || int(t) >= e.types.rows {
			return fmt.Errorf("token type %d, but the model has %d types: tokenizer.json belongs to another model", t, e.types.rows)
		}
	}
	return nil
}

// setPositions sets the indexes of the tokens of one sequence in the position table.
func (e *embeddings) setPositions(positions, ids []int32) {
	count := 0
	for i, id := range ids {
		switch {
		case e.offset == 0:
			positions[i] = int32(i)
		case id == e.pad:
			positions[i] = int32(e.offset - 1)
		default:
			positions[i] = int32(e.offset + count)
			count++
		}
	}
}

// run stores the input of the network in p.x.
func (e *embeddings) run(p *pass) {
	width := e.words.width
	grow(&p.x, len(p.ids)*width)
	positions := grow(&p.positions, len(p.ids))
	for s, start := range p.starts {
		end := start + p.lengths[s]
		e.setPositions(positions[start:end], p.ids[start:end])
	}
	p.pool.Rows(p.precision, len(p.ids), func(w *kernel.Worker, lo, hi int) {
		scratch := w.Floats(width)
		for i := lo; i < hi; i++ {
			row := p.x[i*width : (i+1)*width]
			e.words.copy(row, int(p.ids[i]))
			if e.types.rows > 0 {
				t := 0
				if !e.oneType {
					t = int(p.types[i])
				}
				add(row, e.types.row(t, scratch))
			}
			if e.positions.rows > 0 {
				add(row, e.positions.row(int(positions[i]), scratch))
			}
		}
		if e.norm.Gain != nil {
			block := p.x[lo*width : hi*width]
			w.Norm(&e.norm, block, block, nil)
		}
	})
}

func add(x, y []float32) {
	y = y[:len(x)]
	for i := range x {
		x[i] += y[i]
	}
}
