package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/result"
)

const (
	wholeTable   = 20 // a table of up to so many rows is shown whole,
	tableEdge    = 5  // and otherwise so many at each end
	cellMax      = 50 // cells of a text; pandas' max_colwidth
	defaultWidth = 120
)

// table shows results as pandas shows a DataFrame, then describes their
// faithfulness and counts them. It keeps no row but those that it shows.
type table struct {
	w     io.Writer
	width int
	kept  result.KeptColumns
	head  []shownRow // the first rows, up to wholeTable
	tail  []shownRow // a ring of the last tableEdge rows
	tally Tally
	opts  Options
	marks bool
	worst *worstRows // nil for none
	paint Palette
}

// A shownRow is what the table keeps of a result.
type shownRow struct {
	index                 int
	id, question, answer  string // already cut
	claims, marks, status string
	support, faithfulness float64
	kept                  []string
	keptNumber            []bool
}

func newTable(w io.Writer, o Options) *table {
	t := &table{w: w, opts: o, width: o.Width, kept: result.NewKeptColumns(result.Options{Keep: o.Keep, KeepAll: o.KeepAll}), tail: make([]shownRow, tableEdge), marks: o.Marks, paint: o.Palette}
	if t.width <= 0 {
		t.width = defaultWidth
	}
	if o.Show > 0 {
		t.worst = newWorstRows(o.Show, t.width, o.Palette)
	}
	return t
}

// Write counts r and keeps what is shown of it, if it is.
func (t *table) Write(r *result.Row) error {
	t.kept.Observe(r.Kept)
	i := t.tally.Rows
	_ = t.tally.Write(r) // has no error
	if t.worst != nil {
		_ = t.worst.Write(r) // nor has it
	}
	if i < wholeTable {
		t.head = append(t.head, t.show(r))
	}
	t.tail[i%tableEdge] = shownRow{}
	if i >= wholeTable-tableEdge { // earlier ones are in the head, or never shown
		t.tail[i%tableEdge] = t.show(r)
	}
	return nil
}

// show takes from r what is shown of it, so that its texts need not be kept.
func (t *table) show(r *result.Row) shownRow {
	s := shownRow{
		index:    r.Index,
		id:       cell(r.ID, cellMax),
		question: cell(r.Question, cellMax),
		answer:   cell(r.Answer, cellMax),
		status:   string(r.Status),
		support:  result.Round(r.Support), faithfulness: r.Faithfulness,
	}
	if r.Status != result.Failed {
		s.claims = strconv.Itoa(r.Supported()) + "/" + strconv.Itoa(len(r.Claims))
		if t.marks {
			s.marks = marks(r.Claims, t.paint)
		}
	}
	for _, value := range t.kept.Values(r.Kept) {
		content, isText := result.PlainText(value)
		s.kept = append(s.kept, cell(content, cellMax))
		s.keptNumber = append(s.keptNumber, !isText && (content == "" || result.IsNumber(content)))
	}
	return s
}

// Close writes the table and what stands below it.
func (t *table) Close() error {
	rows, cutAfter := t.head, -1
	if n := t.tally.Rows; n > wholeTable {
		rows, cutAfter = t.head[:tableEdge:tableEdge], tableEdge
		for i := range tableEdge {
			rows = append(rows, t.tail[(n+i)%tableEdge])
		}
	}
	columns := t.columns(rows)
	var b strings.Builder
	b.WriteString(layout(columns, cutAfter, t.width))
	fmt.Fprintf(&b, "\n\n[%d rows x %d columns]\n\n", t.tally.Rows, len(columns)-1)
	b.WriteString(describe("faithfulness", &t.tally.Faithfulness))
	b.WriteString("\n\n")
	for _, m := range t.opts.meansOf(&t.tally).Said() {
		fmt.Fprintf(&b, "%-14s  %s\n", "mean of "+m.Of, &m)
	}
	if cited := t.tally.Cited(); cited != "" {
		fmt.Fprintf(&b, "%-14s  %s\n", "citations", cited)
	}
	fmt.Fprintf(&b, "%s\n", &t.tally)
	if t.opts.Foot != "" {
		b.WriteString(Printable(t.opts.Foot) + "\n")
	}
	if t.worst != nil {
		t.worst.writeTo(&b)
	}
	_, err := io.WriteString(t.w, b.String())
	return err
}

// columns turns rows into columns, the index first. The kept ones stand in the
// middle, where a narrow terminal loses columns first.
func (t *table) columns(rows []shownRow) []column {
	index := column{right: true}
	id, question, answer := column{name: "id", text: true}, column{name: "question", text: true}, column{name: "answer", text: true}
	claims, status := column{name: "claims", right: true}, column{name: "status"}
	signs := column{name: "verdicts"}
	support, faithfulness := make([]float64, len(rows)), make([]float64, len(rows))
	kept := make([]column, len(t.kept.Names))
	for k, name := range t.kept.Names {
		kept[k] = column{name: cell(name, cellMax), text: true, right: true}
	}
	for i := range rows {
		r := &rows[i]
		index.cells = append(index.cells, strconv.Itoa(r.index))
		id.cells = append(id.cells, r.id)
		question.cells = append(question.cells, r.question)
		answer.cells = append(answer.cells, r.answer)
		claims.cells = append(claims.cells, r.claims)
		signs.cells = append(signs.cells, r.marks)
		status.cells = append(status.cells, r.status)
		support[i], faithfulness[i] = r.support, r.faithfulness
		for k := range kept {
			content, number := "", true
			if k < len(r.kept) { // a row before the columns were known has none
				content, number = r.kept[k], r.keptNumber[k]
			}
			kept[k].cells = append(kept[k].cells, content)
			kept[k].right = kept[k].right && number
		}
	}
	columns := append([]column{index, id, question, answer}, kept...)
	columns = append(columns, claims, status, column{name: "support", right: true, cells: floats(support)})
	if t.marks {
		columns = append(columns, signs)
	}
	return append(columns, column{name: "faithfulness", right: true, cells: floats(faithfulness)})
}
