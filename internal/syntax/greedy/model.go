package greedy

// Scratch has the memory of one parse, to be used again. It serves one goroutine.
type Scratch struct {
	sentence Sentence
	state    State
	features []uint32
	sum      [128]int32
}

// Parse returns the tag, head and relation of each of at most MaxWords forms. A head is
// an index, -1 for the root; there is exactly one. The slices are valid until the next
// call with the same scratch.
func (m *Model) Parse(forms []string, s *Scratch) (tags []uint8, heads []int, relations []uint8) {
	n := len(forms)
	in := &s.sentence
	in.Read(forms, m.classes)
	for i := 1; i <= n; i++ {
		s.features = in.Features(s.features, i)
		in.Tags[i] = uint8(s.best(&m.tag, len(m.Tags)))
	}
	st := &s.state
	st.Reset(in)
	for !st.Done() {
		s.features = st.ActionFeatures(s.features)
		sum := m.action.actions(s.features)
		a, found := Shift, false
		for b := range Actions {
			if st.Legal(b) && (!found || sum[b] > sum[a]) {
				a, found = b, true
			}
		}
		relation := uint8(0)
		if a != Shift {
			if h, d := st.Arc(a); h <= n {
				s.features = st.LabelFeatures(s.features, h, d)
				relation = uint8(s.best(&m.label, len(m.Relations)))
			}
		}
		st.Do(a, relation)
	}
	heads = st.Head[1 : n+1]
	for i, h := range heads {
		if h == n+1 {
			h = 0
		}
		heads[i] = h - 1
	}
	return in.Tags[1 : n+1], heads, st.Rel[1 : n+1]
}

// best returns the class of 1 to classes-1 with the highest score; the first one if
// several have it.
func (s *Scratch) best(by *scorer, classes int) int {
	by.scores(s.features, s.sum[:classes])
	class := 1
	for i := 2; i < classes; i++ {
		if s.sum[i] > s.sum[class] {
			class = i
		}
	}
	return class
}
