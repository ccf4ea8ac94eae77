package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/ragfaith/ragfaith/internal/syntax/words"
)

// unknown is the relation, and 0 the head, of a word about which nothing is learned.
const unknown = 255

// A sentence has its words from 0 and the heads and relations of words from 1, where
// len(forms)+1 is the root.
type sentence struct {
	text      string
	forms     []string
	lemmas    []string
	tags      []uint8
	heads     []int
	relations []uint8

	source    int     // index of the sentence in the treebank that this one is or is made of
	predicted []uint8 // tags for training the parser
}

// names numbers tags and relations in the order of their first use.
type names struct {
	list  []string
	index map[string]uint8
}

func newNames(first string) *names {
	return &names{list: []string{first}, index: map[string]uint8{first: 0}}
}

func (n *names) of(name string) uint8 {
	i, found := n.index[name]
	if !found {
		i = uint8(len(n.list))
		n.index[name] = i
		n.list = append(n.list, name)
	}
	return i
}

// readTreebank reads a file in the format CoNLL-U, compressed with zstd or not. Empty
// nodes and the lines of multiword tokens are skipped. A head can be "_", for unknown.
func readTreebank(path string, tags, relations *names) ([]*sentence, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var in io.Reader = file
	if strings.HasSuffix(path, ".zst") {
		d, err := zstd.NewReader(file)
		if err != nil {
			return nil, err
		}
		defer d.Close()
		in = d
	}
	var all []*sentence
	s := &sentence{}
	lines := bufio.NewScanner(in)
	for number := 1; lines.Scan(); number++ {
		line := lines.Text()
		if text, found := strings.CutPrefix(line, "# text = "); found {
			s.text = text
		}
		if line == "" && len(s.forms) > 0 {
			s.source = len(all)
			all = append(all, s.closed())
			s = &sentence{}
		}
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 10 {
			return nil, fmt.Errorf("%s:%d: want 10 fields, got %d", path, number, len(fields))
		}
		if strings.ContainsAny(fields[0], "-.") {
			continue
		}
		head, relation := -1, uint8(unknown)
		if fields[6] != "_" {
			if head, err = strconv.Atoi(fields[6]); err != nil {
				return nil, fmt.Errorf("%s:%d: head: %w", path, number, err)
			}
			relation = relations.of(fields[7])
		}
		s.forms = append(s.forms, fields[1])
		s.lemmas = append(s.lemmas, fields[2])
		s.tags = append(s.tags, tags.of(fields[3]+"|"+fields[4]))
		s.heads = append(s.heads, head)
		s.relations = append(s.relations, relation)
	}
	if len(s.forms) > 0 {
		all = append(all, s.closed())
	}
	return all, lines.Err()
}

// spans returns the places of the words in the text.
func (s *sentence) spans() []words.Span {
	spans := make([]words.Span, 0, len(s.forms))
	at := 0
	for _, form := range s.forms {
		i := strings.Index(s.text[at:], form)
		if i < 0 {
			return nil
		}
		spans = append(spans, words.Span{Start: at + i, End: at + i + len(form)})
		at += i + len(form)
	}
	return spans
}

func (s *sentence) closed() *sentence {
	s.heads = append([]int{0}, s.heads...)
	s.relations = append([]uint8{0}, s.relations...)
	for i, h := range s.heads {
		switch h {
		case 0:
			s.heads[i] = len(s.forms) + 1
		case -1:
			s.heads[i] = 0
		}
	}
	return s
}
