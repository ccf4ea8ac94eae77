package shape

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A candidate is a possible source of a field.
type candidate struct {
	pattern string
	values  []*Value
	rank    int // of the name
	penalty int // of the objects that contain it
	depth   int
}

func (c *candidate) compare(d *candidate) int {
	return cmp.Or(c.penalty-d.penalty, c.rank-d.rank, c.depth-d.depth)
}

// A search collects the candidates in one record.
type search struct {
	*Finder
	found  map[Field][]*candidate
	chats  []*candidate
	docs   []*candidate             // lists of documents under any name
	nulls  map[Field][]*candidate   // members without a value
	turns  map[string]bool          // lists with several answers
	rest   []*candidate             // answers by name that are not read, but make another one ambiguous
	byPath map[[2]string]*candidate // elements of found by field and path, and of docs under ""
}

// add adds the value of c to the candidate with the same path, or c to the list.
func (s *search) add(list []*candidate, kind Field, c *candidate) []*candidate {
	key := [2]string{string(kind), c.pattern}
	if old := s.byPath[key]; old != nil {
		old.values = append(old.values, c.values...)
		old.rank = min(old.rank, c.rank)
		return list
	}
	s.byPath[key] = c
	return append(list, c)
}

// best returns the best candidate by name, or nil. It is an error if another one is
// equally good and has another value.
func (s *search) best(field Field) (*candidate, error) {
	list := slices.DeleteFunc(slices.Clone(s.found[field]), func(c *candidate) bool {
		return len(c.values) > 1 && (field != Contexts || s.ofTurns(c))
	})
	best, err := s.unrivaled(field, list, s.rivals)
	if best == nil {
		return nil, err
	}
	if field == Answer {
		text, _ := s.Expand.textOf(best.values[0], field)
		for _, c := range s.rest {
			other, _ := s.Expand.textOf(c.values[0], field)
			name, chosen := c.values[0].Name, best.values[0].Name
			verdict := s.Names.IsVerdict(other) && (s.Names.IsRating(other) || s.Names.isSystemAnswer(name)) && !s.Names.IsVerdict(text)
			_, inList := cutLast(c.pattern)
			if other != text && !verdict && !inList && (name == chosen || s.Names.Rival(field, chosen, name)) && s.rivals(field, c, best) {
				return nil, Ambiguous(field, best.pattern, c.pattern)
			}
		}
	}
	return best, nil
}

// A UsageError reports options that are invalid or do not match the files.
type UsageError struct {
	Err       error
	Ambiguous bool // two sources of a field are equally good
}

// Error returns the message of the cause.
func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.Err }

// Ambiguous returns the error for two equally good sources of a field.
func Ambiguous(f Field, a, b string) *UsageError {
	return &UsageError{fmt.Errorf("%s: ambiguous: both %s and %s match; choose one with --map %s=%s or --map %s=%s",
		f, Quote(a), Quote(b), f, a, f, b), true}
}

// unrivaled returns the best candidate in a list, or nil. It is an error if a rival has another
// value.
func (s *search) unrivaled(field Field, list []*candidate, rivals func(field Field, c, best *candidate) bool) (*candidate, error) {
	if len(list) == 0 {
		return nil, nil
	}
	best := slices.MinFunc(list, (*candidate).compare)
	for _, c := range list {
		if rivals(field, c, best) && !s.same(field, c, best) {
			return nil, Ambiguous(field, best.pattern, c.pattern)
		}
	}
	return best, nil
}

// rivals reports whether c can be the field as well as the best candidate. An answer near
// the top of a record can be the expected one, and one below it the answer of a system.
// Contexts can be ideal ones if others are said to be retrieved.
func (s *search) rivals(field Field, c, best *candidate) bool {
	if c == best || c.penalty != best.penalty {
		return false
	}
	explicit, bestExplicit := s.Names.isExplicit(field, c.pattern), s.Names.isExplicit(field, best.pattern)
	switch {
	case field == Answer:
		return c.rank <= rankWeak && (c.depth == best.depth || c.rank == rankExact && best.rank == rankExact || explicit && !bestExplicit)
	case field == Contexts && c.rank <= rankUsual && (explicit && !bestExplicit || bestExplicit && !explicit && c.depth == best.depth):
		return !IsIdeal(c.pattern, best.pattern)
	case field == Contexts && c.rank <= rankUsual && !bestExplicit && c.depth == best.depth:
		return sameSeries(c.pattern, best.pattern) || isContextName(c.pattern) || slices.ContainsFunc(c.values, hasPassage)
	}
	return c.compare(best) == 0
}

// isContextName reports whether a column, which can be numbered, is named for contexts alone.
func isContextName(name string) bool {
	return sameSeries(name, "contexts") || sameSeries(name, "context") || sameSeries(name, "ctxs")
}

// hasPassage reports whether v contains a text that is more than a title or a file name.
func hasPassage(v *Value) bool {
	if v.Kind == Text {
		text := strings.TrimSpace(v.Text)
		end, _ := utf8.DecodeLastRuneInString(text)
		return len(text) > 80 || strings.ContainsRune(".!?。！？।", end)
	}
	return slices.ContainsFunc(v.Items, hasPassage)
}

// ofTurns reports whether the contexts of a candidate with several values belong to
// several answers: those of turns.
func (s *search) ofTurns(contexts *candidate) bool {
	if s.turns == nil {
		s.turns = map[string]bool{}
		for _, c := range s.found[Answer] {
			for list := c.pattern; len(c.values) > 1 && list != ""; {
				list, _ = cutLast(list)
				s.turns[list] = true
			}
		}
	}
	list, ok := cutLast(contexts.pattern)
	return !ok || s.turns[list]
}

// cutLast returns the path of the last list in a path.
func cutLast(pattern string) (list string, ok bool) {
	i := strings.LastIndex(pattern, "[*]")
	return pattern[:max(i, 0)], i >= 0
}

// isNull reports whether a member without a value has a better name than a candidate,
// which can be nil. Another record will show where the field is.
func (s *search) isNull(field Field, c *candidate) bool {
	return field != Question && slices.ContainsFunc(s.nulls[field], func(null *candidate) bool {
		if c == nil {
			return null.penalty == 0 && null.rank == rankExact
		}
		return null.penalty <= c.penalty && null.rank < c.rank
	})
}

// same reports whether two candidates have the same value.
func (s *search) same(field Field, a, b *candidate) bool {
	if field == Contexts {
		return len(a.values) == len(b.values) && slices.EqualFunc(a.values, b.values, equal)
	}
	x, _ := s.Expand.textOf(a.values[0], field)
	y, _ := s.Expand.textOf(b.values[0], field)
	return x == y
}

func equal(a, b *Value) bool { return a.key() == b.key() }
