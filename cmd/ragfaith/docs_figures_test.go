package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestTutorialRepeatsFiguresOfItsOutput checks that each figure in the text of the tutorial
// is in the output of its commands, perhaps with more digits. Figures below 10 without
// decimals are not compared: they number steps and exit codes.
func TestTutorialRepeatsFiguresOfItsOutput(t *testing.T) {
	t.Parallel()
	const page = "docs/tutorial.md"
	figure := regexp.MustCompile(`\d+(?:\.\d+)?`)
	var printed []float64
	for _, b := range docsBlocks(t, page) {
		if b.lang == "console" {
			for _, n := range figure.FindAllString(b.text, -1) {
				printed = append(printed, must(strconv.ParseFloat(n, 64)))
			}
		}
	}
	text := readFile(t, filepath.Join(docsRoot, page))
	prose := regexp.MustCompile("(?ms)^```.*?^```|<!--.*?-->|`[^`]*`|\\]\\([^)]*\\)").ReplaceAllString(text, "")
	compared := 0
	for _, n := range figure.FindAllString(prose, -1) {
		_, decimals, _ := strings.Cut(n, ".")
		want := must(strconv.ParseFloat(n, 64))
		if decimals == "" && want < 10 {
			continue
		}
		compared++
		if !slices.ContainsFunc(printed, func(p float64) bool {
			return strconv.FormatFloat(p, 'f', len(decimals), 64) == n
		}) {
			t.Errorf("%s: %s is not in the output of its commands", page, n)
		}
	}
	if compared < 5 {
		t.Errorf("compared %d figures, want at least 5", compared)
	}
}
