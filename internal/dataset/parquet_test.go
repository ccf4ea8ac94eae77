package dataset

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

// An annotated node is a group with a different logical type, such as a list.
type annotated struct {
	parquet.Node
	typ parquet.Type
}

func (a annotated) Type() parquet.Type { return a.typ }

// writeColumns encodes rows of values with explicit levels.
func writeColumns(t testing.TB, root parquet.Group, rows ...parquet.Row) string {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewWriter(&b, parquet.NewSchema("root", root))
	if _, err := w.WriteRows(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// writeGroups encodes rows in row groups.
func writeGroups[T any](t testing.TB, groups [][]T, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, options...)
	for _, rows := range groups {
		if _, err := w.Write(rows); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func textValue(text string, rep, def, column int) parquet.Value {
	return parquet.ValueOf(text).Level(rep, def, column)
}

func null(rep, def, column int) parquet.Value { return parquet.NullValue().Level(rep, def, column) }

func TestParquetListLayouts(t *testing.T) {
	text := parquet.String()
	list := parquet.List(text).Type()
	xy := parquet.Row{textValue("x", 0, 1, 1), textValue("y", 1, 1, 1)}
	for name, tt := range map[string]struct {
		contexts parquet.Node
		rows     []parquet.Row // without the answer, which is column 0
		want     []string      // contexts joined by |, or error
	}{
		"repeated": {parquet.Repeated(text), []parquet.Row{xy, {null(0, 0, 1)}, {textValue("z", 0, 1, 1)}}, []string{"x|y", "", "z"}},
		"two levels": {
			parquet.Optional(annotated{parquet.Group{"array": parquet.Repeated(text)}, list}),
			[]parquet.Row{{textValue("x", 0, 2, 1), textValue("y", 1, 2, 1)}, {null(0, 0, 1)}, {null(0, 1, 1)}},
			[]string{"x|y", "contexts: want a list of strings, got null", ""},
		},
		"two levels of groups": {annotated{parquet.Group{"array": parquet.Repeated(parquet.Group{"text": text})}, list}, []parquet.Row{xy}, []string{"x|y"}},
		"old Spark": {
			parquet.Optional(annotated{parquet.Group{"bag": parquet.Repeated(parquet.Group{"array_element": parquet.Optional(text)})}, list}),
			[]parquet.Row{{textValue("x", 0, 3, 1), textValue("y", 1, 3, 1)}, {textValue("x", 0, 3, 1), null(1, 2, 1)}},
			[]string{"x|y", "contexts[1]: want a string, got null"},
		},
		"no annotation": {parquet.Group{"list": parquet.Repeated(parquet.Group{"element": text})}, []parquet.Row{xy}, []string{"x|y"}},
		"lists of lists": {
			parquet.List(parquet.List(text)),
			[]parquet.Row{{textValue("x", 0, 2, 1), textValue("y", 2, 2, 1), textValue("z", 1, 2, 1)}, {null(0, 1, 1), textValue("z", 1, 2, 1)}},
			[]string{"x|y|z", "z"},
		},
		"map": {
			parquet.Map(text, text),
			[]parquet.Row{
				{textValue("text", 0, 1, 1), textValue("x", 0, 1, 2)},
				{textValue("title", 0, 1, 1), textValue("content", 1, 1, 1), textValue("x", 0, 1, 2), textValue("y", 1, 1, 2)},
				{null(0, 0, 1), null(0, 0, 2)},
			},
			[]string{"x", "y", "contexts: want a string, got an object without text, content, page_content"},
		},
		"string": {
			parquet.JSON(),
			[]parquet.Row{{textValue(`["x", "y"]`, 0, 0, 1)}, {textValue("\xff", 0, 0, 1)}},
			[]string{"x|y", "contexts: want a list of strings, got binary data"},
		},
		"bytes": {
			parquet.List(parquet.Leaf(parquet.ByteArrayType)),
			[]parquet.Row{{textValue("x", 0, 1, 1)}, {textValue("x", 0, 1, 1), textValue("\xff", 1, 1, 1)}},
			[]string{"x", "contexts[1]: want a string, got binary data"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for i, row := range tt.rows {
				tt.rows[i] = append(parquet.Row{textValue("a", 0, 0, 0)}, row...)
			}
			rows, last := read(t, "x.parquet", writeColumns(t, parquet.Group{"answer": text, "contexts": tt.contexts}, tt.rows...), Options{})
			var got []string
			for _, r := range rows {
				_, err, _ := strings.Cut(r.Err, ": ")
				got = append(got, strings.Join(r.Row.Contexts, "|")+err)
			}
			if d := cmp.Diff(tt.want, got); d != "" || last != "" {
				t.Errorf("(-want +got):\n%s\nlast error: %q", d, last)
			}
		})
	}
}

func TestParquetColumnTypeErrors(t *testing.T) {
	text, number := parquet.String(), parquet.Leaf(parquet.DoubleType)
	a, x, one := textValue("a", 0, 0, 0), textValue("x", 0, 0, 1), parquet.ValueOf(1.0)
	for _, tt := range []struct {
		columns parquet.Group
		row     parquet.Row
		want    string
	}{
		{parquet.Group{"answer": number, "contexts": text}, parquet.Row{one.Level(0, 0, 0), x}, "answer: want a string, got a number"},
		{parquet.Group{"answer": parquet.Decimal(2, 9, parquet.FixedLenByteArrayType(4)), "contexts": text}, parquet.Row{parquet.FixedLenByteArrayValue([]byte{0, 0, 1, 0}).Level(0, 0, 0), x}, "answer: want a string, got a number"},
		{parquet.Group{"answer": parquet.Leaf(parquet.FixedLenByteArrayType(2)), "contexts": text}, parquet.Row{parquet.FixedLenByteArrayValue([]byte("ab")).Level(0, 0, 0), x}, "answer: want a string, got binary data"},
		{parquet.Group{"answer": text, "contexts": parquet.Repeated(number)}, parquet.Row{a, one.Level(0, 1, 1)}, "contexts[0]: want a string, got a number"},
		{parquet.Group{"answer": text, "contexts": parquet.Group{"a": text, "b": text}}, parquet.Row{a, x, textValue("x", 0, 0, 2)}, "contexts: want a string, got an object without text, content, page_content"},
		{parquet.Group{"answer": text, "contexts": text, "id": parquet.Repeated(text)}, parquet.Row{a, x, textValue("i", 0, 1, 2)}, "id: want a string or a number, got a list"},
	} {
		rows, last := read(t, "x.parquet", writeColumns(t, tt.columns, tt.row), Options{})
		if got := strings.TrimPrefix(lastError(rows, last), "x.parquet:1: "); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
	rows, last := read(t, "x.parquet", writeColumns(t, parquet.Group{"contexts": text}), Options{})
	if want := "x.parquet: no answer: looked for answer, response, output, actual_output; found contexts; choose one with --map answer=COLUMN"; last != want || rows != nil {
		t.Errorf("got  %s\nwant %s", last, want)
	}
}

func TestParquetReadsNumericIDs(t *testing.T) {
	columns := parquet.Group{"answer": parquet.Optional(parquet.String()), "contexts": parquet.String(), "id": parquet.Int(64)}
	rows, last := read(t, "x.parquet", writeColumns(t, columns,
		parquet.Row{textValue("a", 0, 1, 0), textValue("x", 0, 0, 1), parquet.ValueOf(int64(-7)).Level(0, 0, 2)},
		parquet.Row{null(0, 0, 0), textValue("x", 0, 0, 1), parquet.ValueOf(int64(8)).Level(0, 0, 2)}), Options{})
	if last != "" || rows[0].Row.ID != "-7" || rows[1].Row.ID != "8" || rows[1].Err != "x.parquet:2: answer: want a string, got null" {
		t.Errorf("got rows %+v, last error %q, want ids -7 and 8 and an error in row 2", rows, last)
	}
}

func TestParquetWithCorruptBytesNeverPanics(t *testing.T) {
	if testing.Short() {
		t.Skip("slow, skipped with -short")
	}
	whole := encode(t, Parquet, []record{{"i", "q", "a", []string{"x", "y"}}, {"j", "", "a", []string{"z"}}})
	path := write(t, "x.parquet", "")
	for i := range whole {
		for _, b := range []byte{0, 0xff} {
			data := bytes.Clone(whole)
			data[i] = b
			readBytes(t, path, data)
		}
	}
}

// pandas and pyarrow write row groups without rows for empty frames.
func TestRowsSkipsFilesWithoutRows(t *testing.T) {
	file := func(sizes ...int) string {
		var groups [][]textRow
		for _, n := range sizes {
			groups = append(groups, slices.Repeat([]textRow{{"a", []string{"x", "y"}}}, n))
		}
		return write(t, "x.parquet", string(writeGroups(t, groups)))
	}
	empty, full := file(), file(1)
	header := write(t, "header.csv", "answer,contexts\n")
	for _, tt := range []struct {
		paths []string
		rows  int
		none  bool
	}{
		{[]string{empty, full, header, full, empty}, 2, false},
		{[]string{file(0), file(0, 2), file(3, 0, 2)}, 7, false},
		{[]string{"testdata/pyarrow_empty_group.parquet", empty}, 4, false},
		{[]string{empty, header, empty}, 0, true},
	} {
		rows, err := readFiles(t, Options{}, tt.paths...)
		if len(rows) != tt.rows || errors.Is(err, errNoRows) != tt.none || (err == nil) == tt.none {
			t.Errorf("%v: got %d rows, error %v, want %d rows, errNoRows = %t", tt.paths, len(rows), err, tt.rows, tt.none)
		}
	}
}
