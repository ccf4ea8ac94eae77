package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

const (
	maxTableRows = 20 // longer tables are abbreviated to 2*edgeRows rows
	edgeRows     = 5  // rows at each end of a table in dataset order
	maxCell      = 50 // maximum width of a text; the default of display.max_colwidth in pandas
)

// table writes rows, lowest faithfulness first or in dataset order, as pandas prints a
// DataFrame, followed by statistics and counts. It stores only the rows to print.
type table struct {
	w     io.Writer
	kept  result.KeptColumns
	head  []shownRow // the first maxTableRows rows in the order of the table
	tail  []shownRow // in dataset order: ring buffer of the last edgeRows rows
	rows  int        // number of rows written
	opts  Options
	worst *worstRows
}

// A shownRow contains the formatted cells of a row.
type shownRow struct {
	index                 int
	id, question, answer  string // truncated
	claims, marks, status string
	support, faithfulness float64
	kept                  []string
	keptNumber            []bool
}

func newTable(w io.Writer, o Options) *table {
	o.Width = cmp.Or(max(o.Width, 0), defaultWidth)
	return &table{
		w: w, opts: o, worst: newWorstRows(w, o),
		kept: result.NewKeptColumns(result.Options{Keep: o.Keep, KeepAll: o.KeepAll}), tail: make([]shownRow, edgeRows),
	}
}

// Write stores r if it may be printed.
func (t *table) Write(r *result.Row) error {
	t.kept.Observe(r.Kept)
	i := t.rows
	t.rows++
	_ = t.worst.Write(r) // never fails
	if !t.opts.DatasetOrder {
		row := shownRow{index: r.Index, status: string(r.Status), faithfulness: r.Faithfulness}
		t.head = insertSorted(t.head, row, compareShown, maxTableRows, func() shownRow { return t.show(r) })
		return nil
	}
	if i < maxTableRows {
		t.head = append(t.head, t.show(r))
	}
	t.tail[i%edgeRows] = shownRow{}
	if i >= maxTableRows-edgeRows { // earlier rows are in head or not printed
		t.tail[i%edgeRows] = t.show(r)
	}
	return nil
}

// compareShown orders rows by faithfulness, ties in dataset order. Rows without a score come
// last: first those that failed, and then those without claims.
func compareShown(a, b shownRow) int {
	rank := func(r shownRow) int {
		switch {
		case !math.IsNaN(r.faithfulness):
			return 0
		case r.status == string(result.Failed):
			return 1
		}
		return 2
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.faithfulness, b.faithfulness), cmp.Compare(a.index, b.index))
}

// show copies the parts of r to print, so that its texts can be freed.
func (t *table) show(r *result.Row) shownRow {
	s := shownRow{
		index:    r.Index,
		id:       cell(r.ID, maxCell),
		question: cell(r.Question, maxCell),
		answer:   cell(r.Answer, maxCell),
		status:   string(r.Status),
		support:  result.Round(r.Support), faithfulness: r.Faithfulness,
	}
	if r.Status != result.Failed {
		s.claims = strconv.Itoa(r.Supported()) + "/" + strconv.Itoa(r.JudgedClaims())
		if t.opts.Marks {
			s.marks = marks(r.Claims, t.opts.Palette)
		}
	}
	for _, value := range t.kept.Values(r.Kept) {
		content, isText := result.PlainText(value)
		s.kept = append(s.kept, cell(content, maxCell))
		s.keptNumber = append(s.keptNumber, !isText && (content == "" || result.IsNumber(content)))
	}
	return s
}

// Close writes the table and the statistics.
func (t *table) Close() error {
	tally := t.opts.Tally
	rows, cutAfter := t.head, -1
	switch n := t.rows; {
	case n <= maxTableRows:
	case !t.opts.DatasetOrder:
		rows, cutAfter = t.head[:2*edgeRows], 2*edgeRows
	default:
		rows, cutAfter = t.head[:edgeRows:edgeRows], edgeRows
		for i := range edgeRows {
			rows = append(rows, t.tail[(n+i)%edgeRows])
		}
	}
	columns := t.columns(rows)
	var b strings.Builder
	b.WriteString(layout(columns, cutAfter, t.opts.Width))
	fmt.Fprintf(&b, "\n\n[%d rows x %d columns]\n\n", tally.Rows, len(columns)-1)
	b.WriteString(describe(&tally.Faithfulness))
	b.WriteString("\n\n")
	means := tally.Means()
	for _, m := range means.Format() {
		fmt.Fprintf(&b, "%-14s  %s\n", "mean of "+m.Of, &m)
	}
	line := func(label, text string) {
		if text != "" {
			b.WriteString(label + text + "\n")
		}
	}
	line("citations       ", tally.Cited())
	line("prescreen       ", tally.Prescreened())
	line("", tally.String())
	line("rows with marks: ", tally.Marked())
	line("", tally.Confidence())
	line("", Printable(t.opts.Foot))
	for _, by := range means.Tables() {
		b.WriteString("\n" + by.Terminal(t.opts.Width))
	}
	t.worst.writeTo(&b)
	_, err := io.WriteString(t.w, b.String())
	return err
}

// columns returns the table columns, starting with the index. Kept columns are in the
// middle, because those are dropped first.
func (t *table) columns(rows []shownRow) []Column {
	var columns []Column
	add := func(c Column, cell func(r *shownRow) string) {
		for i := range rows {
			c.Cells = append(c.Cells, cell(&rows[i]))
		}
		columns = append(columns, c)
	}
	addFloats := func(name string, value func(r *shownRow) float64) {
		values := make([]float64, len(rows))
		for i := range rows {
			values[i] = value(&rows[i])
		}
		columns = append(columns, Column{Name: name, Right: true, Cells: floats(values)})
	}
	add(Column{Right: true}, func(r *shownRow) string { return strconv.Itoa(r.index) })
	add(Column{Name: "id", Text: true}, func(r *shownRow) string { return r.id })
	add(Column{Name: "question", Text: true}, func(r *shownRow) string { return r.question })
	add(Column{Name: "answer", Text: true}, func(r *shownRow) string { return r.answer })
	for k, name := range t.kept.Names {
		lacking := func(r *shownRow) bool { return k >= len(r.kept) } // rows before the first occurrence of a column lack it
		text := slices.ContainsFunc(rows, func(r shownRow) bool { return !lacking(&r) && !r.keptNumber[k] })
		add(Column{Name: cell(name, maxCell), Text: true, Right: !text}, func(r *shownRow) string {
			if lacking(r) {
				return ""
			}
			return r.kept[k]
		})
	}
	add(Column{Name: "claims", Right: true}, func(r *shownRow) string { return r.claims })
	add(Column{Name: "status"}, func(r *shownRow) string { return r.status })
	addFloats("support", func(r *shownRow) float64 { return r.support })
	if t.opts.Marks {
		add(Column{Name: "verdicts"}, func(r *shownRow) string { return r.marks })
	}
	addFloats("faithfulness", func(r *shownRow) float64 { return r.faithfulness })
	return columns
}

// describe formats faithfulness like describe() of pandas, without a final line feed.
func describe(s *stats.Summary) string {
	labels := []string{"count", "mean", "std", "min", "25%", "50%", "75%", "max"}
	values := floats([]float64{
		float64(s.Count()), s.Mean(), s.Std(), s.Min(),
		s.Quantile(0.25), s.Quantile(0.5), s.Quantile(0.75), s.Max(),
	})
	width := (&Column{Cells: values}).width()
	var b strings.Builder
	for i, v := range values {
		fmt.Fprintf(&b, "%-5s    %*s\n", labels[i], width, v)
	}
	b.WriteString("Name: faithfulness, dtype: float64")
	return b.String()
}

// floats formats the numbers of a column like pandas: with as many decimals as the number
// that needs most, at least one and at most six.
func floats(column []float64) []string {
	const maxDecimals = 6
	texts := make([]string, len(column))
	decimals := 1
	for i, x := range column {
		if math.IsNaN(x) {
			texts[i] = "NaN"
			continue
		}
		texts[i] = strconv.FormatFloat(x, 'f', maxDecimals, 64)
		short := strings.TrimRight(texts[i], "0")
		decimals = max(decimals, len(short)-strings.IndexByte(short, '.')-1)
	}
	for i, x := range column {
		if !math.IsNaN(x) {
			texts[i] = texts[i][:len(texts[i])-maxDecimals+decimals]
		}
	}
	return texts
}
