package dataset

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
)

// A parquetReader reads the required columns page by page and assembles records.
type parquetReader struct {
	fileColumns
	file    *parquet.File
	check   *pageChecker
	header  *header
	outcome []int                // see unreadable
	nodes   map[int]*parquetNode // schema nodes by column index
	leaves  []*leaf
	size    int64    // file size in bytes
	values  []*value // each selected column of the current record

	group     int   // index of the next row group
	remaining int64 // number of unread records in the current row group
	row       int64 // number of records read
}

// recoverPanic converts a panic into an error. The Parquet library panics on
// some inconsistent files.
func recoverPanic(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("broken Parquet data: %v", p)
	}
}

func newParquet(in io.ReaderAt, size int64, f fileColumns) (p *parquetReader, err error) {
	defer recoverPanic(&err)
	check := &pageChecker{r: in, size: size, limit: int64(f.limit())}
	if err := check.footer(); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(check, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("not a Parquet file: %w", err)
	}
	columns := file.Root().Columns()
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name()
		if !utf8.ValidString(names[i]) {
			return nil, fmt.Errorf("the name of column %d: %s", i+1, notUTF8)
		}
	}
	h, err := f.columns.header(names)
	if err != nil {
		return nil, err
	}
	p = &parquetReader{fileColumns: f, file: file, check: check, header: h, outcome: f.columns.outcome(names), values: make([]*value, len(columns)), nodes: map[int]*parquetNode{}}
	var selected []int
	for _, s := range h.found {
		selected = append(selected, s.at)
	}
	if len(h.paths) > 0 {
		selected = append(selected, h.named...)
	}
	for _, i := range slices.Concat(selected, h.keep, p.outcome) {
		if p.nodes[i] == nil {
			p.nodes[i] = newParquetNode(columns[i], &p.leaves)
		}
	}
	f.warnAbout(h)
	return p, nil
}

func (p *parquetReader) next(row *Row) (err error) {
	defer recoverPanic(&err)
	for p.remaining == 0 {
		if err := p.nextGroup(); err != nil {
			return err
		}
	}
	p.remaining--
	p.row++
	row.Line = int(p.row)
	row.Offset = p.size
	if p.row < p.file.NumRows() { // estimated from the number of records read
		row.Offset = int64(float64(p.size) * (float64(p.row) / float64(p.file.NumRows())))
	}
	rowErr, err := p.read(row)
	if err != nil {
		return err
	}
	if rowErr != nil {
		return &RowError{Line: row.Line, Err: rowErr}
	}
	return nil
}

// nextGroup opens the columns of the next row group.
func (p *parquetReader) nextGroup() error {
	for _, l := range p.leaves {
		if l.pages != nil && l.more() {
			return l.wrapError(errors.New("more values than rows"))
		}
		l.close()
	}
	groups := p.file.RowGroups()
	if p.group == len(groups) {
		if p.row != p.file.NumRows() {
			return fmt.Errorf("broken Parquet data: %d rows are announced and %d are there", p.file.NumRows(), p.row)
		}
		return io.EOF
	}
	g := groups[p.group]
	chunks := g.ColumnChunks()
	if err := p.check.group(&p.file.Metadata().RowGroups[p.group], p.leaves); err != nil {
		return err
	}
	for _, l := range p.leaves {
		l.pages = chunks[l.column].Pages()
	}
	p.group++
	p.remaining = g.NumRows()
	if p.remaining < 0 {
		return errors.New("broken Parquet data: a row group with fewer than no rows")
	}
	return nil
}

// read reads the next record into row. rowErr reports an invalid record, err an
// error that affects the whole file.
func (p *parquetReader) read(row *Row) (rowErr, err error) {
	r := &parquetRecord{limit: p.limit()}
	for i, name := range p.header.names {
		if n := p.nodes[i]; n != nil { // also above the limit, since all columns must be advanced
			p.values[i] = n.build(r, name)
		}
	}
	for _, l := range p.leaves {
		if l.err != nil {
			return nil, l.err
		}
	}
	for _, l := range p.leaves {
		if l.rep > 0 && l.repeats(1) {
			return nil, l.wrapError(errors.New("its values do not fit the rows of the others"))
		}
	}
	if r.err != nil {
		return r.err, nil
	}
	if !p.columns.raw || p.columns.exact {
		for _, i := range p.header.keep {
			row.Kept = append(row.Kept, Column{Name: p.header.names[i], Value: appendJSON(nil, p.values[i])})
		}
	}
	hasValue := func(s *foundField) bool { return p.values[s.at].Kind != shape.Null }
	for _, f := range fields() {
		s, err := p.columns.column(p.header, f, hasValue)
		if err == nil && s != nil {
			err = row.set(f, p.values[s.at], p.columnNames, p.noteSplit)
		}
		rowErr = cmp.Or(rowErr, err)
	}
	if len(p.header.paths) > 0 && !is[*layoutError](rowErr) {
		record, _ := p.record()
		rowErr = cmp.Or(p.columns.keepPaths(row, p.header.paths, record, p.row == 1), rowErr)
	}
	var outcome [3]string
	for k, i := range p.outcome {
		outcome[k] = p.values[i].Text
	}
	return cmp.Or(unreadable(row, outcome), rowErr), nil
}

// record returns the columns of the current record.
func (p *parquetReader) record() (*value, error) { //nolint:unparam // of recordReader
	v := &value{Kind: shape.Object}
	for _, i := range p.header.named {
		v.Items = append(v.Items, p.values[i])
	}
	return v, nil
}

func (p *parquetReader) columnNames() []string { return p.header.names }

func (p *parquetReader) close() {
	for _, l := range p.leaves {
		l.close()
	}
}

func float(f float64, bits int) (shape.Kind, string) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return shape.Null, ""
	}
	return shape.Number, string(jsontext.AppendFloat(nil, f, bits))
}

// decimal formats an unscaled number with a decimal point. It drops zeros at the end, which do not distinguish values.
func decimal(v parquet.Value, scale int) string {
	n := new(big.Int)
	if v.Kind() == parquet.Int32 {
		n.SetInt64(int64(v.Int32()))
	} else if v.Kind() == parquet.Int64 {
		n.SetInt64(v.Int64())
	} else {
		b := v.ByteArray()
		n.SetBytes(b)
		if len(b) > 0 && b[0] >= 0x80 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	}
	const maxScale = 1 << 10 // far more than any writer uses
	if scale <= 0 || scale > maxScale {
		return n.String()
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	return strings.TrimSuffix(strings.TrimRight(new(big.Rat).SetFrac(n, unit).FloatString(scale), "0"), ".")
}

// timestamp formats a time as RFC 3339. It omits the zone if the column contains local times.
func timestamp(n int64, l *format.TimestampType) string {
	var t time.Time
	switch l.Unit.Value.(type) {
	case *format.MilliSeconds:
		t = time.UnixMilli(n)
	case *format.MicroSeconds:
		t = time.UnixMicro(n)
	default:
		t = time.Unix(0, n)
	}
	if l.IsAdjustedToUTC {
		return t.UTC().Format(time.RFC3339Nano)
	}
	return t.UTC().Format("2006-01-02T15:04:05.999999999")
}

// int96 formats a legacy timestamp, which consists of a Julian day and the
// nanoseconds within that day.
func int96(v deprecated.Int96) string {
	const unixEpoch = 2440588 // Julian day of 1970-01-01
	nanos := int64(uint64(v[1])<<32 | uint64(v[0]))
	t := time.Unix((int64(v[2])-unixEpoch)*86400, 0).Add(time.Duration(nanos))
	return t.UTC().Format("2006-01-02T15:04:05.999999999")
}

func uuid(b []byte) string {
	if len(b) != 16 {
		return base64.StdEncoding.EncodeToString(b)
	}
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", binary.BigEndian.Uint32(b), b[4:6], b[6:8], b[8:10], b[10:])
}
