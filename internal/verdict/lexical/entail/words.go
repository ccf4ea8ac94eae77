package entail

import (
	_ "embed" // for words.txt
	"fmt"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/lexicon"
)

//go:embed data/words.txt
var wordLists string

// A trait is a bit set of properties of a word beyond those of the lexicon.
type trait uint32

const (
	negative    trait = 1 << iota // denies what it governs: exclude, lack
	saying                        // introduces what somebody says
	thinking                      // introduces what somebody thinks
	optional                      // may, voluntary
	possible                      // might, perhaps
	restrictive                   // only
	quantity                      // all, some, often
	light                         // little meaning of its own
	linking                       // links or comments on statements
	doubting                      // says that something is not true: myth, wrongly
	showing                       // says that something is true: find, fact
)

func traitNames() map[string]trait {
	return map[string]trait{
		"negative": negative, "saying": saying, "thinking": thinking,
		"optional": optional, "possible": possible, "restrictive": restrictive,
		"quantity": quantity, "light": light, "linking": linking, "doubting": doubting, "showing": showing,
	}
}

// A Comparer compares claims with statements. It is safe for concurrent use.
type Comparer struct {
	lex       *lexicon.Lexicon
	traits    lexicon.Table[trait]  // by key
	forms     []trait               // of a single form, by lexicon.Token.Word
	relatives map[uint64][]relative // listed in words.txt
}

// New returns a Comparer of texts split by lex, to which it adds the words that it knows. It
// returns an error only if the embedded lists are corrupt.
func New(lex *lexicon.Lexicon) (*Comparer, error) {
	c := &Comparer{lex: lex, relatives: map[uint64][]relative{}}
	return c, c.readLists(wordLists)
}

// A Relation is the relation of a word of a claim to a word of a statement.
type Relation uint8

// The relations, except for Unrelated closest first.
const (
	Unrelated Relation = iota
	Same               // the same word, in any inflection
	Synonym
	Derived  // same root: recover, recoverable
	Opposite // antonym
)

// A relative is a synonym or antonym of a word.
type relative struct {
	key      uint64
	relation Relation
}

// readLists parses a list in the format of words.txt.
func (c *Comparer) readLists(text string) error {
	names := traitNames()
	keys := func(words []string) []uint64 {
		var ks []uint64
		for _, w := range words {
			ks = append(ks, c.lex.Key(w))
		}
		return ks
	}
	line := 0
	for s := range strings.Lines(text) {
		line++
		f := strings.Fields(s)
		if len(f) < 2 || f[0] == "#" {
			continue
		}
		class, exact := strings.CutPrefix(f[0], "=")
		switch words := f[1:]; class {
		case "antonym":
			a, b, _ := strings.Cut(strings.Join(words, " "), "|")
			for _, x := range keys(strings.Fields(a)) {
				for _, y := range keys(strings.Fields(b)) {
					c.relate(x, y, Opposite)
				}
			}
		case "same":
			ks := keys(words)
			for i, x := range ks {
				for _, y := range ks[:i] {
					c.relate(x, y, Synonym)
				}
			}
		default:
			t, ok := names[class]
			if !ok {
				return fmt.Errorf("entail: words.txt:%d: invalid class %q", line, class)
			}
			for _, w := range words {
				if exact || len(w) <= maxExact && t&negative == 0 {
					c.addForm(w, t)
				} else {
					key := c.lex.Key(w)
					c.traits.Set(key, c.traits.Get(key)|t)
				}
			}
		}
	}
	return nil
}

// addForm adds traits of a single form of a word.
func (c *Comparer) addForm(word string, t trait) {
	n := int(c.lex.Intern(string(lexicon.Fold(nil, word))))
	c.forms = append(c.forms, make([]trait, max(0, n+1-len(c.forms)))...)
	c.forms[n] |= t
}

// relate makes two words relatives. Opposites come first.
func (c *Comparer) relate(x, y uint64, how Relation) {
	for range 2 {
		if r := (relative{y, how}); how == Opposite {
			c.relatives[x] = slices.Insert(c.relatives[x], 0, r)
		} else {
			c.relatives[x] = append(c.relatives[x], r)
		}
		x, y = y, x
	}
}

// maxExact is the length of the longest words whose traits apply to that form only, since
// other words have the same key: "may" and "May".
const maxExact = 3
