package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/ragfaith/ragfaith/internal/syntax/lemma"
)

// readLexicon returns the rows of two files of the lexicon: all lemmas, and irregular
// forms as lemma, part of speech and form.
func readLexicon(path string) (known []string, irregular [][]string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	d, err := zstd.NewReader(file)
	if err != nil {
		return nil, nil, err
	}
	defer d.Close()
	archive := tar.NewReader(d)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return known, irregular, nil
		}
		if err != nil {
			return nil, nil, err
		}
		var text bytes.Buffer
		if _, err := io.Copy(&text, archive); err != nil {
			return nil, nil, err
		}
		rows := strings.Split(strings.TrimSpace(text.String()), "\n")[1:]
		for _, line := range rows {
			fields := strings.Split(line, "\t")
			switch header.Name {
			case "lexicon/lemmas.tsv":
				known = append(known, fields[0])
			case "lexicon/irregular-forms.tsv":
				irregular = append(irregular, fields)
			}
		}
	}
}

// lemmaTable returns the lines of the table of lemmas: known ones, and forms that the
// rules get wrong. The treebank decides before the lexicon.
func lemmaTable(sentences []*sentence, tags []string, known []string, irregular [][]string) string {
	lemmas := map[string]bool{}
	for _, word := range known {
		if isWord(word) {
			lemmas[word] = true
		}
	}
	type form struct{ tag, form string }
	counts := map[form]map[string]int{}
	for _, s := range sentences {
		for i, f := range s.forms {
			_, tag, _ := strings.Cut(tags[s.tags[i]], "|")
			if tag == "NNP" || tag == "GW" || tag == "FW" || s.lemmas[i] == "_" {
				continue
			}
			low := strings.ReplaceAll(strings.ToLower(f), "’", "'")
			found := strings.ToLower(s.lemmas[i])
			key := form{tag, low}
			if counts[key] == nil {
				counts[key] = map[string]int{}
			}
			counts[key][found]++
			if strings.IndexByte("NnVJR", lemma.Kind(tag)) >= 0 && isWord(found) {
				lemmas[found] = true
			}
		}
	}
	list := slices.Sorted(maps.Keys(lemmas))
	table := lemma.New(strings.Join(list, "\n"))
	exceptions := map[string]string{}
	for _, row := range irregular {
		kind := map[string]string{"n": "NNS", "v": "VBD", "a": "JJR", "r": "RBR"}[row[1]]
		if strings.HasSuffix(row[2], "ing") {
			kind = "VBG"
		}
		if strings.HasSuffix(row[2], "est") && kind != "NNS" {
			kind = kind[:2] + "S"
		}
		if table.Of(row[2], kind) != row[0] && isWord(row[0]) && isWord(row[2]) {
			exceptions[kind[:1]+" "+row[2]] = row[0]
		}
	}
	// A form with several tags of a kind takes the more frequent lemma.
	kinds := map[form]map[string]int{}
	for key, lemmas := range counts {
		kind := form{string(lemma.Kind(key.tag)), key.form}
		if kinds[kind] == nil {
			kinds[kind] = map[string]int{}
		}
		for l, n := range lemmas {
			kinds[kind][l] += n
		}
	}
	for key := range counts {
		lemmas := kinds[form{string(lemma.Kind(key.tag)), key.form}]
		best := slices.MaxFunc(slices.Sorted(maps.Keys(lemmas)), func(a, b string) int {
			return cmp.Compare(lemmas[a], lemmas[b])
		})
		name := string(lemma.Kind(key.tag)) + " " + key.form
		if table.Of(key.form, key.tag) != best && !strings.ContainsAny(key.form+best, " \t") {
			exceptions[name] = best
		}
	}
	for name, l := range exceptions {
		list = append(list, name+" "+l)
	}
	slices.Sort(list)
	return strings.Join(list, "\n") + "\n"
}

func isWord(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == "" && len(s) > 1
}
