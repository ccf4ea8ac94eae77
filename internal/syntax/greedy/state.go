package greedy

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
	left, left2   []int // first and second child from the left, before the word
	right, right2 []int // likewise from the right, after it
	lefts, rights []uint8
	mem           []int
}

// Reset prepares a state for a sentence with tags.
func (s *State) Reset(sentence *Sentence) {
	n := sentence.N
	s.N, s.Next, s.words, s.tags = n, 1, sentence.words, sentence.Tags
	size := n + 4
	if cap(s.mem) < 6*size {
		s.mem = make([]int, 6*size)
	}
	s.mem = s.mem[:6*size]
	clear(s.mem)
	next := func() (part []int) {
		part, s.mem = s.mem[:size:size], s.mem[size:]
		return part
	}
	all := s.mem
	s.Head, s.left, s.left2, s.right, s.right2 = next(), next(), next(), next(), next()
	s.Stack = next()[:0]
	s.mem = all
	small := make([]uint8, 3*size)
	s.Rel, s.lefts, s.rights = small[:size:size], small[size:2*size:2*size], small[2*size:]
}

// Done reports whether every word has a head.
func (s *State) Done() bool { return s.Next > s.N && len(s.Stack) == 0 }

// Legal reports whether an action is possible. Only one word can be attached to the
// root.
func (s *State) Legal(a Action) bool {
	switch a {
	case Shift:
		return s.Next <= s.N
	case Left:
		return len(s.Stack) == 1 || len(s.Stack) > 1 && s.Next <= s.N
	default:
		return len(s.Stack) > 1
	}
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
	} else {
		s.right2[h], s.right[h] = s.right[h], d
		s.rights[h] = min(s.rights[h]+1, 4)
	}
}

func (s *State) top(k int) int {
	if k >= len(s.Stack) {
		return 0
	}
	return s.Stack[len(s.Stack)-1-k]
}
