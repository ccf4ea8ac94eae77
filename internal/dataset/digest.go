package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"iter"
)

// A Digest identifies the content of a dataset, whatever its files are called.
type Digest struct {
	hash hash.Hash
	row  []byte
}

// NewDigest returns the digest of no rows.
func NewDigest() *Digest { return &Digest{hash: sha256.New()} }

// Add returns rows, and adds each to the digest: its fields, and whether it is valid.
func (d *Digest) Add(rows iter.Seq2[Row, error]) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for row, err := range rows {
			d.add(&row, err)
			if !yield(row, err) {
				return
			}
		}
	}
}

func (d *Digest) add(row *Row, err error) {
	d.row = append(d.row[:0], 1)
	if err != nil {
		d.row[0] = 0
	}
	d.texts(row.ID, row.Question, row.Answer)
	d.row = binary.AppendUvarint(d.row, uint64(len(row.Contexts)))
	d.texts(row.Contexts...)
	for i, s := range row.Sources { // citations are resolved with them
		if s != (Source{}) {
			d.row = binary.AppendUvarint(d.row, uint64(i))
			d.texts(s.ID, s.Part, s.Title, s.File, s.URL)
		}
	}
	d.hash.Write(d.row)
}

// texts appends texts, each after its length, so that no other texts have the same bytes.
func (d *Digest) texts(list ...string) {
	for _, s := range list {
		d.row = append(binary.AppendUvarint(d.row, uint64(len(s))), s...)
	}
}

// String returns the digest of the rows so far, in hexadecimal.
func (d *Digest) String() string {
	const size = 16 // bytes; enough to tell datasets apart
	return hex.EncodeToString(d.hash.Sum(nil)[:size])
}
