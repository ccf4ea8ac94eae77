package greedy

import "slices"

// A Sentence is the input of the parser: words 1 to N, the root as word N+1, and empty
// words before and after them.
type Sentence struct {
	N    int
	Tags []uint8 // by word

	words []word
	marks []uint32 // number of marks of each kind up to a word, 8 bits each
}

// Read sets the words. classes is a table of [NewClasses].
func (s *Sentence) Read(forms []string, classes *Table) {
	s.N = len(forms)
	s.words = slices.Grow(s.words[:0], s.N+4)[:s.N+4]
	s.Tags = slices.Grow(s.Tags[:0], s.N+4)[:s.N+4]
	clear(s.words)
	clear(s.Tags)
	s.marks = slices.Grow(s.marks[:0], s.N+4)[:s.N+4]
	clear(s.marks)
	for i, form := range forms {
		s.words[i+1] = newWord(form, classes)
		s.marks[i+1] = s.marks[i] + mark(form)
	}
	s.words[s.N+1].form = hash("\x00root")
	s.Tags[s.N+1] = 127
}

// mark counts words that often separate phrases. Each of the four bytes of the result
// counts one kind: commas, conjunctions, other punctuation, and words that start a clause.
func mark(form string) uint32 {
	switch form {
	case ",":
		return 1
	case "and", "or", "but":
		return 1 << 8
	case ";", ":", "-", "–", "—", "(", ")", "\"", "...", "/":
		return 1 << 16
	case "that", "which", "who", "when", "if", "because", "as", "while", "where", "what", "how", "to":
		return 1 << 24
	}
	return 0
}

// Features returns the features that choose the tag of word i after those of the words
// before it. It overwrites f.
func (s *Sentence) Features(f []uint32, i int) []uint32 {
	words, tags := s.words, s.Tags
	w, p, n := &words[i], &words[i-1], &words[i+1]
	t1, t2 := uint32(tags[i-1]), uint32(0)
	p2, n2 := &words[0], &words[i+2]
	if i > 1 {
		t2, p2 = uint32(tags[i-2]), &words[i-2]
	}
	return append(f[:0],
		key1(0, 0),
		key1(1, w.form),
		key1(2, w.suffix[0]), key1(3, w.suffix[1]), key1(4, w.suffix[2]), key1(5, w.suffix[3]),
		key1(6, w.prefix[0]), key1(7, w.prefix[1]), key1(8, w.prefix[2]),
		key1(9, w.shape), key1(10, w.class),
		key1(11, t1), key2(12, t1, t2), key2(13, t1, w.form), key2(14, t1, w.class),
		key1(15, p.form), key1(16, n.form), key1(17, p2.form), key1(18, n2.form),
		key2(19, w.form, n.form), key2(20, w.form, p.form),
		key1(21, n.suffix[2]), key1(22, p.suffix[2]), key1(23, n.suffix[1]),
		key1(24, n.class), key2(25, w.class, n.class), key3(26, t1, w.class, n.class),
		key2(27, w.shape, t1), key2(28, w.suffix[2], t1), key3(29, t1, t2, w.class),
		key2(30, w.shape, n.shape), key2(31, w.suffix[1], n.class), key3(32, w.class, n.class, n2.class),
		key2(33, w.form, n.class), key2(34, t1, n.form), key2(35, w.class, n2.class),
		key2(36, p.shape, w.shape), key2(37, w.suffix[2], w.shape),
		key1(40, w.group), key1(41, p.group), key1(42, n.group), key2(43, t1, w.group), key2(44, w.group, n.group), key2(45, p.group, w.group),
		key3(46, t1, w.group, n.group), key2(47, w.suffix[2], n.group), key1(48, n2.group), key1(49, p2.group), key2(50, w.class, n.group), key3(51, p.group, w.class, n.group),
		key2(52, w.group, w.shape), key2(53, w.form, n.group), key2(54, w.form, p.group), key3(55, w.group, n.group, n2.group),
		key1(60, w.theme), key2(61, w.theme, w.suffix[1]), key2(62, w.topic, w.shape), key2(63, p.theme, w.class), key2(64, n.theme, w.class), key2(65, w.topic, n.topic), key2(66, p.topic, w.topic), key2(67, w.theme, t1),
	)
}
