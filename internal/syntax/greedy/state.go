package greedy

import "slices"

// An Action is a transition of the arc-hybrid system.
type Action uint8

// The actions. Left and Right attach the word on top of the stack.
const (
	Shift   Action = iota // moves the next word to the stack
	Left                  // the next word is its head
	Right                 // the word below it on the stack is its head
	Actions               // their number
)

// A State is an unfinished tree over the words 1 to N. N+1 stands for the root, which
// follows the last word (Ballesteros and Nivre 2013); 0 means no word.
type State struct {
	N     int
	Next  int // the next word, N+1 after the last one
	Stack []int
	Head  []int
	Rel   []uint8

	words         []word
	tags          []uint8
	marks         []uint32
	left, left2   []int // first and second child from the left, before the word
	right, right2 []int // likewise from the right, after it
	lefts, rights []uint8
	// Relations of the children on each side: sets of 32 bits, of which relations may share one.
	before, after []uint32

	ints  []int // memory of the slices
	bytes []uint8
	sets  []uint32
}

// Reset prepares a state for a sentence with tags.
func (s *State) Reset(sentence *Sentence) {
	n := sentence.N
	s.N, s.Next, s.words, s.tags, s.marks = n, 1, sentence.words, sentence.Tags, sentence.marks
	size := n + 4
	s.ints = slices.Grow(s.ints[:0], 6*size)[:6*size]
	s.bytes = slices.Grow(s.bytes[:0], 3*size)[:3*size]
	clear(s.ints)
	clear(s.bytes)
	s.sets = slices.Grow(s.sets[:0], 2*size)[:2*size]
	clear(s.sets)
	s.before, s.after = s.sets[:size:size], s.sets[size:]
	for i, part := range []*[]int{&s.Head, &s.left, &s.left2, &s.right, &s.right2, &s.Stack} {
		*part = s.ints[i*size : (i+1)*size : (i+1)*size]
	}
	for i, part := range []*[]uint8{&s.Rel, &s.lefts, &s.rights} {
		*part = s.bytes[i*size : (i+1)*size : (i+1)*size]
	}
	s.Stack = s.Stack[:0]
}

// Done reports whether every word has a head.
func (s *State) Done() bool { return s.Next > s.N && len(s.Stack) == 0 }

// Legal reports whether an action is possible. Only one word can be attached to the
// root.
func (s *State) Legal(a Action) bool {
	if a == Shift {
		return s.Next <= s.N
	}
	if a == Left && len(s.Stack) == 1 {
		return true
	}
	return len(s.Stack) > 1 && (a == Right || s.Next <= s.N)
}

// Arc returns the head and the dependent that Left or Right would connect.
func (s *State) Arc(a Action) (head, dependent int) {
	dependent = s.top(0)
	if a == Left {
		return s.Next, dependent
	}
	return s.top(1), dependent
}

// Do takes an action.
func (s *State) Do(a Action, relation uint8) {
	if a == Shift {
		s.Stack = append(s.Stack, s.Next)
		s.Next++
		return
	}
	h, d := s.Arc(a)
	s.Stack = s.Stack[:len(s.Stack)-1]
	s.Head[d], s.Rel[d] = h, relation
	if a == Left {
		s.left2[h], s.left[h] = s.left[h], d
		s.lefts[h] = min(s.lefts[h]+1, 4)
		s.before[h] |= 1 << (relation & 31)
	} else {
		s.right2[h], s.right[h] = s.right[h], d
		s.rights[h] = min(s.rights[h]+1, 4)
		s.after[h] |= 1 << (relation & 31)
	}
}

// between returns which marks are between two words and how many, up to 3 of a kind.
func (s *State) between(a, b int) uint32 {
	if a == 0 || b <= a+1 {
		return 0
	}
	n := s.marks[b-1] - s.marks[a]
	return min(n&255, 3) | min(n>>8&255, 3)<<2 | min(n>>16&255, 3)<<4 | min(n>>24, 3)<<6
}

func (s *State) top(k int) int {
	if k >= len(s.Stack) {
		return 0
	}
	return s.Stack[len(s.Stack)-1-k]
}
