package dataset

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
)

// A parquetRecord limits the size of a record, which a dictionary can expand.
type parquetRecord struct {
	limit         int // of bytes
	bytes, values int
	err           error // the record exceeds a limit, and its values are incomplete
}

// add returns a new value.
func (r *parquetRecord) add(kind shape.Kind, name, text string) *value {
	r.bytes += len(text)
	r.values++
	switch {
	case r.err != nil:
	case r.bytes > r.limit:
		r.err = tooLong(r.limit)
	case r.values > maxValues:
		r.err = errTooMany
	}
	if r.err != nil {
		return &value{}
	}
	return &value{Kind: kind, Name: name, Text: text}
}

// append appends a value to a list or object.
func (r *parquetRecord) append(list, item *value) {
	if r.err == nil {
		list.Items = append(list.Items, item)
	}
}

// A parquetNode assembles the values of a schema node from the definition and repetition levels of
// its leaves, as described in the Dremel paper (Melnik et al., 2010). It recognizes lists by their
// levels and not by their names, so that the layouts of all writers give the same result.
type parquetNode struct {
	name     string
	optional bool
	repeated bool
	rep, def int     // maximum repetition and definition levels
	leaf     *leaf   // column of a leaf node, or nil
	leaves   []*leaf // the levels of the first one determine the structure
	children []*parquetNode
	list     bool // list whose only child repeats the elements
	wrapper  bool // group around the element of a list without a value of its own
	isMap    bool // map whose only child repeats keys and values
}

// newParquetNode returns the node of a column and appends its leaves to all.
func newParquetNode(c *parquet.Column, all *[]*leaf) *parquetNode {
	n := &parquetNode{
		name: c.Name(), optional: c.Optional(), repeated: c.Repeated(),
		rep: c.MaxRepetitionLevel(), def: c.MaxDefinitionLevel(),
	}
	if c.Leaf() {
		path := strings.ToValidUTF8(strings.Join(c.Path(), "."), "\uFFFD")
		n.leaf = &leaf{column: c.Index(), path: path, rep: n.rep, logical: logicalType(c)}
		n.leaves = []*leaf{n.leaf}
		*all = append(*all, n.leaf)
		return n
	}
	for _, child := range c.Columns() {
		k := newParquetNode(child, all)
		n.children = append(n.children, k)
		n.leaves = append(n.leaves, k.leaves...)
	}
	if len(n.children) == 1 && n.children[0].repeated {
		child := n.children[0]
		_, isMap := logicalType(c).(*format.MapType)
		switch {
		case isMap && len(child.children) == 2 && !child.children[0].repeated:
			n.isMap = true
		case isListGroup(c):
			n.list = true
			child.wrapper = isWrapper(child, c.Name())
		}
	}
	return n
}

// isWrapper distinguishes the middle group of a list from an element that is itself a group,
// following the backward compatibility rules of the Parquet format.
func isWrapper(child *parquetNode, parent string) bool {
	return child.leaf == nil && len(child.children) == 1 && !child.children[0].repeated &&
		child.name != "array" && child.name != parent+"_tuple"
}

// build returns the value of the current record. It reads exactly the
// values of that record from each leaf. Errors are stored in the leaves.
func (n *parquetNode) build(r *parquetRecord, name string) *value {
	switch {
	case len(n.leaves) == 0: // group without columns
		return r.add(shape.Null, name, "")
	case n.repeated:
		list := r.add(shape.List, name, "")
		n.elements(func() { r.append(list, n.value(r, "")) })
		return list
	case n.optional && n.leaves[0].peek().DefinitionLevel() < n.def:
		n.skip()
		return r.add(shape.Null, name, "")
	}
	return n.value(r, name)
}

// elements calls element for each element of a repeated node.
func (n *parquetNode) elements(element func()) {
	if n.leaves[0].peek().DefinitionLevel() < n.def {
		n.skip()
		return
	}
	element()
	for n.leaves[0].repeats(n.rep) {
		element()
	}
}

// value returns a value that is not null.
func (n *parquetNode) value(r *parquetRecord, name string) *value {
	switch {
	case n.leaf != nil:
		return n.leaf.take(r, name)
	case n.wrapper, n.list:
		return n.children[0].build(r, name)
	}
	object := r.add(shape.Object, name, "")
	if n.isMap {
		pair := n.children[0]
		pair.elements(func() {
			key := pair.children[0].build(r, "")
			r.append(object, pair.children[1].build(r, key.Text))
		})
		return object
	}
	for _, child := range n.children {
		r.append(object, child.build(r, child.name))
	}
	return object
}

// skip skips the placeholder of a null or an empty list in each leaf.
func (n *parquetNode) skip() {
	for _, l := range n.leaves {
		l.peek()
		l.at++
	}
}

// A leaf reads the values of one column of the current row group. After an error its
// values are null.
type leaf struct {
	column  int
	path    string
	rep     int
	logical format.LogicalTypeValue

	pages  parquet.Pages
	page   parquet.Page
	values parquet.ValueReader
	buf    []parquet.Value
	at     int
	err    error
}

// leafBatch is the number of values decoded at a time.
const leafBatch = 256

func (l *leaf) close() {
	if l.page != nil {
		parquet.Release(l.page)
	}
	if l.pages != nil {
		_ = l.pages.Close() // read only
	}
	l.page, l.values, l.pages, l.err = nil, nil, nil, nil
	l.buf, l.at = l.buf[:0], 0
}

// fill reads the next batch of values. It returns io.EOF at the end of the row group.
func (l *leaf) fill() error {
	if l.buf == nil {
		l.buf = make([]parquet.Value, 0, leafBatch)
	}
	for {
		if l.page == nil {
			page, err := l.pages.ReadPage()
			if err != nil {
				return err
			}
			if err := checkTexts(page); err != nil {
				return err
			}
			l.page, l.values = page, page.Values()
		}
		n, err := l.values.ReadValues(l.buf[:cap(l.buf)])
		l.buf, l.at = l.buf[:n], 0
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			return err
		case n > 0:
			return nil
		case err == nil:
			return io.ErrNoProgress
		}
		parquet.Release(l.page)
		l.page, l.values = nil, nil
	}
}

// checkTexts returns an error if a page does not contain the texts that its header
// declares. The library only prints a warning then.
func checkTexts(page parquet.Page) error {
	if page.Dictionary() != nil || page.Type().Kind() != parquet.ByteArray {
		return nil
	}
	data := page.Data()
	texts, offsets := data.ByteArray()
	want := int(page.NumValues() - page.NumNulls())
	if len(offsets) != want+1 || int(offsets[want]) != len(texts) {
		return fmt.Errorf("a page does not contain the %d values that its header declares", want)
	}
	return nil
}

// more reports whether there is another value in the row group, which is then l.buf[l.at].
func (l *leaf) more() bool {
	if l.err == nil && l.at >= len(l.buf) {
		if err := l.fill(); err != nil && !errors.Is(err, io.EOF) {
			l.err = l.wrapError(err)
		}
	}
	return l.err == nil && l.at < len(l.buf)
}

// peek returns the next value.
func (l *leaf) peek() parquet.Value {
	if l.more() {
		return l.buf[l.at]
	}
	if l.err == nil {
		l.err = l.wrapError(errors.New("fewer values than rows"))
	}
	return parquet.Value{}
}

// repeats reports whether the next value continues the list at the given repetition level.
func (l *leaf) repeats(level int) bool { return l.more() && l.buf[l.at].RepetitionLevel() >= level }

// take returns the next value.
func (l *leaf) take(r *parquetRecord, name string) *value {
	v := l.peek()
	l.at++
	if v.IsNull() || r.err != nil {
		return r.add(shape.Null, name, "")
	}
	kind, text := l.convert(v)
	return r.add(kind, name, text)
}

func (l *leaf) wrapError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("cut off: %w", io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("broken Parquet data: column %s: %w", l.path, err)
}

// convert converts a value of the leaf according to its annotation or else its physical type.
func (l *leaf) convert(v parquet.Value) (shape.Kind, string) {
	physical := v.Kind()
	switch t := l.logical.(type) {
	case *format.DecimalType:
		return shape.Number, decimal(v, int(t.Scale))
	case *format.DateType:
		return shape.Text, time.Unix(int64(v.Int32())*86400, 0).UTC().Format(time.DateOnly)
	case *format.TimestampType:
		if physical == parquet.Int64 {
			return shape.Text, timestamp(v.Int64(), t)
		}
	case *format.UUIDType:
		return shape.Text, uuid(v.ByteArray())
	case *format.IntType:
		switch {
		case t.IsSigned:
		case physical == parquet.Int32:
			return shape.Number, strconv.FormatUint(uint64(v.Uint32()), 10)
		case physical == parquet.Int64:
			return shape.Number, strconv.FormatUint(v.Uint64(), 10)
		}
	}
	switch physical {
	case parquet.Boolean:
		return shape.Bool, strconv.FormatBool(v.Boolean())
	case parquet.Int32:
		return shape.Number, strconv.FormatInt(int64(v.Int32()), 10)
	case parquet.Int64:
		return shape.Number, strconv.FormatInt(v.Int64(), 10)
	case parquet.Int96:
		return shape.Text, int96(v.Int96())
	case parquet.Float:
		return float(float64(v.Float()), 32)
	case parquet.Double:
		return float(v.Double(), 64)
	case parquet.ByteArray:
		if text := string(v.ByteArray()); utf8.ValidString(text) {
			return shape.Text, text
		}
	case parquet.FixedLenByteArray: // such as half floats
	}
	return shape.Bytes, string(v.ByteArray())
}

// isListGroup reports whether a group is annotated as a list. Without an
// annotation, it reports whether the group has the structure of a list.
func isListGroup(c *parquet.Column) bool {
	if logical := logicalType(c); logical != nil {
		_, ok := logical.(*format.ListType)
		return ok
	}
	return slices.Contains([]string{"list", "bag", "array"}, c.Columns()[0].Name())
}

// logicalType returns the annotation of a column, or nil.
func logicalType(c *parquet.Column) format.LogicalTypeValue {
	if logical := c.Type().LogicalType(); logical != nil {
		return logical.Value
	}
	return nil
}
