package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// junitText is the maximum number of characters of a text.
const junitText = 2000

// junit writes JUnit XML for Jenkins and GitLab: a suite for each dataset with a test case
// per row, and a suite for the gates. A row with unsupported claims is a failure, a failed
// row is an error, and a row without claims or without judged ones is skipped. The counts come before the cases,
// so the cases of a suite are kept in a spool.
type junit struct {
	w       io.Writer
	opts    Options
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
	if j.suite.name != r.File {
		if err := j.flush(); err != nil {
			return err
		}
	}
	if j.suite.tests == 0 {
		j.suite = junitSuite{name: r.File, class: junitClass(r.File)}
	}
	j.buf.Reset()
	j.row(r)
	_, err := j.cases.Write(j.buf.Bytes())
	return err
}

// Close writes the last suite, the suite of the gates, and the end.
func (j *junit) Close() error {
	defer j.Discard()
	if err := j.flush(); err != nil {
		return err
	}
	if gates := j.opts.Gates(); len(gates) > 0 {
		j.buf.Reset()
		j.suite = junitSuite{name: "gates", class: "gates"}
		for _, g := range gates {
			if g.Passed {
				j.testCase(g.Name, "", "", "")
			} else {
				j.testCase(g.Name, "failure", "gate", g.Text)
			}
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

// row appends the test case of a row to the buffer.
func (j *junit) row(r *result.Row) {
	switch {
	case r.Status == result.Failed:
		j.testCase(r.ID, "error", r.Reason, failure(r), place(r))
	case r.Status == result.NoClaims:
		j.testCase(r.ID, "skipped", "", "no claims: "+strings.ReplaceAll(r.Reason, "_", " "))
	case r.Status == result.SkippedRow:
		j.testCase(r.ID, "skipped", "", "empty contexts")
	case r.Status == result.UnjudgedRow:
		j.testCase(r.ID, "skipped", "", "unjudged: words cannot be compared with the contexts")
	case r.Supported() < r.JudgedClaims():
		message := fmt.Sprintf("faithfulness %s: %d of %d claims supported", Score(r.Faithfulness), r.Supported(), r.JudgedClaims())
		j.testCase(r.ID, "failure", "unsupported", message, append([]string{place(r)}, unsupported(r)...)...)
	default:
		j.testCase(r.ID, "", "", "")
	}
}

// testCase counts and appends a test case. Its outcome is an element with an optional type, a
// message and lines of text, or "" for a success.
func (j *junit) testCase(name, outcome, kind, message string, lines ...string) {
	fmt.Fprintf(&j.buf, "<testcase classname=%s name=%s", quoted(j.suite.class), quoted(name))
	j.suite.tests++
	switch outcome {
	case "error":
		j.suite.errored++
	case "failure":
		j.suite.failures++
	case "skipped":
		j.suite.skipped++
	default:
		j.buf.WriteString("/>\n")
		return
	}
	j.buf.WriteString(">\n<" + outcome)
	if kind != "" {
		j.buf.WriteString(" type=" + quoted(kind))
	}
	j.buf.WriteString(" message=" + quoted(message))
	if lines == nil {
		j.buf.WriteString("/>\n</testcase>\n")
		return
	}
	j.buf.WriteString(">\n")
	for _, line := range lines {
		_ = xml.EscapeText(&j.buf, []byte(Clip(line, junitText))) // a buffer never fails
		j.buf.WriteByte('\n')
	}
	fmt.Fprintf(&j.buf, "</%s>\n</testcase>\n", outcome)
}

// unsupported lists the unsupported claims with their reasons.
func unsupported(r *result.Row) []string {
	var lines []string
	for _, v := range r.Claims {
		if v.Verdict == result.Supported || v.Verdict == result.Unjudged {
			continue
		}
		lines = append(lines, v.Verdict.Words()+": "+v.Judged())
		if v.Reason != "" {
			lines = append(lines, "why: "+v.Reason)
		}
		if len(v.Evidence) > 0 && !quotes(v.Reason, v.Evidence[0].Quote) {
			lines = append(lines, quoteLabel(v.Evidence[0].Role)+": "+v.Evidence[0].Quote)
		}
	}
	return lines
}

// place returns the location of a row in its dataset: its line or, if unknown, its index.
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
