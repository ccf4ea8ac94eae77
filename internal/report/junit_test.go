package report

import (
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/result/resulttest"
)

// junitRows returns results of two datasets.
func junitRows() []*result.Row {
	rows := []*result.Row{resulttest.Scored(), resulttest.NoClaims(), resulttest.JudgeFailed(), resulttest.WithMarkup(), hostileFailure()}
	supported := resulttest.Scored()
	supported.Claims, supported.Line = supported.Claims[:1], 9
	rows = append(rows, supported)
	for i, r := range rows {
		r.File = "data/first.jsonl"
		if i > 2 {
			r.File = resulttest.WithMarkup().File
		}
	}
	return rows
}

func TestJUnitGolden(t *testing.T) {
	golden(t, "report.xml", write(t, FormatJUnit, Options{Gates: someGates, Tally: someTally()}, junitRows()...))
	if got, want := write(t, FormatJUnit, Options{}), xml.Header+"<testsuites name=\"ragfaith\">\n</testsuites>\n"; got != want {
		t.Errorf("no rows: got %q, want %q", got, want)
	}
}

func TestJUnitCountsMatchCases(t *testing.T) {
	type outcome struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	var doc struct {
		Suites []struct {
			Name     string `xml:"name,attr"`
			Tests    int    `xml:"tests,attr"`
			Failures int    `xml:"failures,attr"`
			Errors   int    `xml:"errors,attr"`
			Skipped  int    `xml:"skipped,attr"`
			Cases    []struct {
				Name      string    `xml:"name,attr"`
				ClassName string    `xml:"classname,attr"`
				Failure   []outcome `xml:"failure"`
				Error     []outcome `xml:"error"`
				Skipped   []outcome `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	content := write(t, FormatJUnit, Options{Gates: someGates, Tally: someTally()}, junitRows()...)
	if err := xml.Unmarshal([]byte(content), &doc); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range doc.Suites {
		names = append(names, s.Name)
		failures, errored, skipped := 0, 0, 0
		for _, c := range s.Cases {
			failures, errored, skipped = failures+len(c.Failure), errored+len(c.Error), skipped+len(c.Skipped)
		}
		if s.Tests != len(s.Cases) || s.Failures != failures || s.Errors != errored || s.Skipped != skipped {
			t.Errorf("%s: got %d tests, %d failures, %d errors, %d skipped, want %d, %d, %d, %d", s.Name,
				s.Tests, s.Failures, s.Errors, s.Skipped, len(s.Cases), failures, errored, skipped)
		}
	}
	checkDiff(t, []string{"data/first.jsonl", resulttest.WithMarkup().File, "gates"}, names)
	hostile := doc.Suites[1].Cases[0]
	for _, want := range []string{Clip(resulttest.WithMarkup().Claims[1].Text, junitText), Clip(resulttest.WithMarkup().Claims[1].Reason, junitText), Clip(resulttest.WithMarkup().Claims[1].Evidence[0].Quote, junitText)} {
		if !strings.Contains(hostile.Failure[0].Text, want) {
			t.Errorf("got %q, want it to contain %q", hostile.Failure[0].Text, want)
		}
	}
	if hostile.Name != Clip(resulttest.WithMarkup().ID, junitText) || hostile.ClassName != "faithfulness.a_____jsonl" {
		t.Errorf("got name %q, class %q", hostile.Name, hostile.ClassName)
	}
}

func FuzzJUnit(f *testing.F) {
	f.Add("a\x00b", "]]>", "\ufffe\uffff\ud7ff")
	f.Add("\xff", "<!--", "&#0;")
	f.Fuzz(func(t *testing.T, id, claim, reason string) {
		r := resulttest.WithMarkup()
		r.ID, r.File, r.Claims[1].Text, r.Claims[1].Reason = id, reason, claim, reason
		failed := hostileFailure()
		failed.File = reason
		d := xml.NewDecoder(strings.NewReader(write(t, FormatJUnit, Options{}, r, failed)))
		for elements := 0; ; {
			token, err := d.Token()
			if token == nil {
				if elements != 6 {
					t.Fatalf("got %d elements and error %v, want 6", elements, err)
				}
				return
			}
			if _, ok := token.(xml.StartElement); ok {
				elements++
			}
		}
	})
}

// The schema is junit-10.xsd of Jenkins' xunit plugin.
func TestJUnitIsValidForJenkins(t *testing.T) {
	schema := os.Getenv("TEST_JUNIT_XSD")
	if schema == "" {
		t.Skip("TEST_JUNIT_XSD is not set to a JUnit XML schema")
	}
	if _, err := exec.LookPath("xmllint"); err != nil {
		t.Skip("xmllint not found")
	}
	for _, rows := range [][]*result.Row{junitRows(), {resulttest.JudgeFailed()}, nil} {
		path := filepath.Join(t.TempDir(), "report.xml")
		if err := os.WriteFile(path, []byte(write(t, FormatJUnit, Options{Gates: someGates, Tally: someTally()}, rows...)), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("xmllint", "--noout", "--schema", schema, path).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
}
