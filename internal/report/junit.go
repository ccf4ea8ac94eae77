package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/safefile"
	"github.com/ragfaith/ragfaith/internal/stats"
)

const (
	junitText   = 2000 // maximum characters of a text
	junitClaims = 100  // maximum claims of a row
)

// junit writes JUnit XML for Jenkins and GitLab: a suite for each dataset with a test case
// per row, and a suite for the gates. A row with unsupported claims is a failure, a failed
// row is an error, and a row without claims or without judged ones is skipped. The counts come before the cases,
// so the cases of a suite are kept in a spool.
type junit struct {
	w       io.Writer
	opts    Options
	tally   Tally
	suite   junitSuite
	started bool
	cases   *safefile.Spool
	buf     bytes.Buffer
}

// A junitSuite counts the cases of a suite.
type junitSuite struct {
	name, class                       string
	tests, failures, errored, skipped int
}

func newJUnit(w io.Writer, o Options) *junit {
	return &junit{w: w, opts: o, cases: safefile.NewSpool(o.TempDir)}
}

// Write writes r as a test case. If it starts a new suite, it ends the previous one.
func (j *junit) Write(r *result.Row) error {
	_ = j.tally.Write(r) // never fails
	if j.suite.name != r.File {
		if err := j.flush(); err != nil {
			return err
		}
	}
	if j.suite.tests == 0 {
		j.suite = junitSuite{name: r.File, class: junitClass(r.File)}
	}
	j.suite.tests++
	j.buf.Reset()
	j.testCase(r)
	_, err := j.cases.Write(j.buf.Bytes())
	return err
}

// Close writes the last suite, the suite of the gates, and the end.
func (j *junit) Close() error {
	defer j.Discard()
	if err := j.flush(); err != nil {
		return err
	}
	if gates := j.opts.Gates(&j.tally); len(gates) > 0 {
		j.buf.Reset()
		j.suite = junitSuite{name: "gates", class: "gates", tests: len(gates)}
		j.properties(j.opts.Means(&j.tally))
		for i := range gates {
			j.gate(&gates[i])
		}
		if _, err := j.cases.Write(j.buf.Bytes()); err != nil {
			return err
		}
		if err := j.flush(); err != nil {
			return err
		}
	}
	if err := j.start(); err != nil {
		return err
	}
	_, err := io.WriteString(j.w, "</testsuites>\n")
	return err
}

// Discard removes the spool.
func (j *junit) Discard() { j.cases.Reset() }

// start writes the start of the document once.
func (j *junit) start() error {
	if j.started {
		return nil
	}
	j.started = true
	_, err := io.WriteString(j.w, xml.Header+"<testsuites name=\"ragfaith\">\n")
	return err
}

// flush writes the current suite, unless it is empty.
func (j *junit) flush() error {
	s := &j.suite
	if s.tests == 0 {
		return nil
	}
	if err := j.start(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(j.w, "<testsuite name=%s tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\">\n",
		quoted(s.name), s.tests, s.failures, s.errored, s.skipped)
	if err != nil {
		return err
	}
	cases, err := j.cases.Reader()
	if err != nil {
		return err
	}
	if _, err := io.Copy(j.w, cases); err != nil {
		return err
	}
	j.cases.Reset()
	*s = junitSuite{}
	_, err = io.WriteString(j.w, "</testsuite>\n")
	return err
}

// testCase appends the test case of a row to the buffer.
func (j *junit) testCase(r *result.Row) {
	fmt.Fprintf(&j.buf, "<testcase classname=%s name=%s", quoted(j.suite.class), quoted(r.ID))
	switch {
	case r.Status == result.Failed:
		j.suite.errored++
		j.outcome("error", r.Reason, failure(r), func() { j.line(place(r)) })
	case r.Status == result.NoClaims:
		j.suite.skipped++
		j.outcome("skipped", "", "no claims: "+strings.ReplaceAll(r.Reason, "_", " "), nil)
	case r.Status == result.SkippedRow:
		j.suite.skipped++
		j.outcome("skipped", "", "empty contexts", nil)
	case r.Status == result.UnjudgedRow:
		j.suite.skipped++
		j.outcome("skipped", "", "unjudged: words cannot be compared with the contexts", nil)
	case r.Supported() < r.JudgedClaims():
		j.suite.failures++
		message := fmt.Sprintf("faithfulness %s: %d of %d claims supported", Score(r.Faithfulness), r.Supported(), r.JudgedClaims())
		j.outcome("failure", "unsupported", message, func() {
			j.line(place(r))
			j.unsupported(r)
		})
	default:
		j.buf.WriteString("/>\n")
	}
}

// outcome appends the content and the end of a test case.
func (j *junit) outcome(element, kind, message string, body func()) {
	fmt.Fprintf(&j.buf, ">\n<%s", element)
	if kind != "" {
		j.buf.WriteString(" type=" + quoted(kind))
	}
	j.buf.WriteString(" message=" + quoted(message))
	if body == nil {
		j.buf.WriteString("/>\n</testcase>\n")
		return
	}
	j.buf.WriteString(">\n")
	body()
	fmt.Fprintf(&j.buf, "</%s>\n</testcase>\n", element)
}

// unsupported appends the unsupported claims with their reasons.
func (j *junit) unsupported(r *result.Row) {
	shown, more := 0, 0
	for i := range r.Claims {
		v := &r.Claims[i]
		if v.Verdict == result.Supported || v.Verdict == result.Unjudged {
			continue
		}
		if shown == junitClaims {
			more++
			continue
		}
		shown++
		j.line(v.Verdict.Words() + ": " + r.Claims[i].Judged())
		if v.Reason != "" {
			j.line("why: " + v.Reason)
		}
		if len(v.Evidence) > 0 && !quotes(v.Reason, v.Evidence[0].Quote) {
			j.line(quoteLabel(v.Evidence[0].Role) + ": " + v.Evidence[0].Quote)
		}
	}
	if more > 0 {
		fmt.Fprintf(&j.buf, "and %d more\n", more)
	}
}

// properties appends the means to the suite of the gates.
func (j *junit) properties(m *Means) {
	if m == nil {
		return
	}
	j.buf.WriteString("<properties>\n")
	for _, mean := range []struct {
		of       string
		interval *stats.Interval
	}{{"rows", &m.Rows}, {"claims", &m.Claims}} {
		i := mean.interval
		for _, p := range [][2]string{
			{"mean", property(i.Estimate)},
			{"lower", property(i.Lower)},
			{"upper", property(i.Upper)},
			{"confidence", property(i.Confidence)},
			{"n", strconv.Itoa(i.N)},
			{"method", string(i.Method)},
			{"note", i.Note},
		} {
			if p[1] != "" {
				fmt.Fprintf(&j.buf, "<property name=\"faithfulness.%s.%s\" value=%s/>\n", mean.of, p[0], quoted(p[1]))
			}
		}
	}
	if m.Cluster != "" {
		fmt.Fprintf(&j.buf, "<property name=\"faithfulness.cluster\" value=%s/>\n", quoted(string(m.Cluster)))
	}
	j.buf.WriteString("</properties>\n")
}

// property formats a number as in results, "" for NaN.
func property(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return string(result.AppendNumber(nil, x))
}

// gate appends the test case of a gate.
func (j *junit) gate(g *Gate) {
	fmt.Fprintf(&j.buf, "<testcase classname=\"gates\" name=%s", quoted(g.Name))
	if g.Passed {
		j.buf.WriteString("/>\n")
		return
	}
	j.suite.failures++
	j.outcome("failure", "gate", g.Text, nil)
}

// line appends a line of text content.
func (j *junit) line(s string) {
	_ = xml.EscapeText(&j.buf, []byte(Clip(s, junitText))) // a buffer never fails
	j.buf.WriteByte('\n')
}

// place returns the location of a row in its dataset: its line, or its index if the line
// is unknown.
func place(r *result.Row) string {
	if r.Line == 0 {
		return r.File + ", row with index " + strconv.Itoa(r.Index)
	}
	return r.File + ":" + strconv.Itoa(r.Line)
}

// quoted returns s as an attribute value.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	_ = xml.EscapeText(&b, []byte(Clip(s, junitText))) // a builder never fails
	b.WriteByte('"')
	return b.String()
}

// junitClass returns the class name of a dataset: its file name in characters of Java
// class names, because Jenkins takes the part before a dot for a package.
func junitClass(file string) string {
	return "faithfulness." + strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, Clip(filepath.Base(file), junitText))
}
