package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/stats"
)

// maxLoss is the loss against the first judge above which a suite is listed.
const maxLoss = 0.02

// report writes the tables of all judges as Markdown.
func report(w io.Writer, all []*judged) {
	first := all[0]
	suites := slices.Clone(first.order)
	known := func(names []string) []string {
		return slices.DeleteFunc(names, func(s string) bool { return first.suites[s] == nil })
	}
	headline, english := known(headlineSuites()), known(englishSuites())
	slices.SortStableFunc(suites, func(a, b string) int { return position(english, a) - position(english, b) })
	fmt.Fprint(w, "\n| suite | rows | without claims | floor: AUROC | balanced accuracy |")
	for _, j := range all {
		fmt.Fprintf(w, " %s: AUROC | balanced accuracy |", j.name)
	}
	fmt.Fprintf(w, "\n|---|--:|--:|--:|--:|%s\n", strings.Repeat("--:|--:|", len(all)))
	row := func(name, counts string, suites []string) {
		fmt.Fprintf(w, "| %s | %s | %.3f | %.3f |", name, counts, first.mean(suites, aurocByBaseline), first.mean(suites, baselineAccuracy))
		for _, j := range all {
			low, high := interval(suites, aurocByMin, j, nil)
			fmt.Fprintf(w, " %.3f (%.3f to %.3f) | %.3f |", j.mean(suites, aurocByMin), low, high, j.mean(suites, accuracy))
		}
		fmt.Fprintln(w)
	}
	for _, s := range suites {
		name, t := s, first.suites[s]
		if slices.Contains(headline, s) {
			name = "**" + s + "**"
		}
		row(name, fmt.Sprintf("%d | %d", t.rows, t.unscored), []string{s})
	}
	row("mean of the headline suites", "|", headline)
	row(fmt.Sprintf("mean of the %d English suites", len(english)), "|", english)
	fmt.Fprintln(w)
	for _, j := range all {
		fmt.Fprintf(w, "%s by support, the mean of a row's claims: AUROC %.3f on the headline suites, %.3f on the English suites.\n", j.name, j.mean(headline, aurocBySupport), j.mean(english, aurocBySupport))
		var below []string
		for _, s := range headline {
			one := []string{s}
			if j.mean(one, aurocByMin) < j.mean(one, aurocByBaseline) {
				below = append(below, s+" (AUROC)")
			}
			if j.mean(one, accuracy) < j.mean(one, baselineAccuracy) {
				below = append(below, s+" (balanced accuracy)")
			}
		}
		fmt.Fprintf(w, "%s: headline suites below the floor: %s.\n", j.name, names(below))
	}
	for _, j := range all[1:] {
		compare(w, j, first, english)
	}
	fmt.Fprint(w, "\n| MTRAG, human ratings | answers | Spearman | AUROC at 3.5 |\n|---|--:|--:|--:|\n")
	fmt.Fprintf(w, "| RAGAS, as published | 216 | 0.520 | 0.726 |\n| floor | %d | %.3f | %.3f |\n",
		len(first.rating), stats.Spearman(first.baseline, first.rating), stats.AUROC(first.rated.positive, first.baseline))
	for _, j := range all {
		fmt.Fprintf(w, "| %s | %d | %.3f | %.3f |\n", j.name, len(j.rating), stats.Spearman(j.rated.support, j.rating), stats.AUROC(j.rated.positive, j.rated.support))
	}
}

// compare writes the differences between two judges.
func compare(w io.Writer, j, base *judged, suites []string) {
	for _, s := range suites {
		if len(j.suites[s].positive) != len(base.suites[s].positive) {
			fmt.Fprintf(w, "\n%s and %s scored different rows of %s and are not compared.\n", j.name, base.name, s)
			return
		}
	}
	fmt.Fprintf(w, "\n%s over %s on the English suites:", j.name, base.name)
	for _, by := range []struct {
		name string
		metric
	}{{"by the minimum claim score", aurocByMin}, {"by support", aurocBySupport}} {
		low, high := interval(suites, by.metric, j, base)
		var below []string
		for _, s := range suites {
			if j.mean([]string{s}, by.metric) < base.mean([]string{s}, by.metric)-maxLoss {
				below = append(below, s)
			}
		}
		fmt.Fprintf(w, " AUROC %s %+.3f (%+.3f to %+.3f), more than %.2f below it on: %s;", by.name, j.mean(suites, by.metric)-base.mean(suites, by.metric), low, high, maxLoss, names(below))
	}
	fmt.Fprintf(w, " balanced accuracy %+.3f.\n", j.mean(suites, accuracy)-base.mean(suites, accuracy))
}

// position returns the index of a name in a list, or the length of the list.
func position(list []string, name string) int {
	if i := slices.Index(list, name); i >= 0 {
		return i
	}
	return len(list)
}

// names joins names for a sentence.
func names(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}
