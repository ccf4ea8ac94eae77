package english

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A Word is a word with its surrounding punctuation.
type Word struct {
	Text  string // as in the text, including punctuation
	Lower string // result of [Normalize]
}

func (w Word) is(list ...string) bool { return slices.Contains(list, w.Lower) }

// Split splits a text into words.
func Split(text string) []Word {
	fields := strings.Fields(text)
	all := make([]Word, len(fields))
	for i, f := range fields {
		all[i] = Word{f, Normalize(f)}
	}
	return all
}

// Normalize returns s in lower case, without surrounding punctuation and with straight apostrophes.
func Normalize(s string) string {
	if isLowerASCII(s) {
		return s
	}
	s = strings.TrimFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '$' && r != '€' && r != '£' && r != '%'
	})
	return strings.ToLower(strings.ReplaceAll(s, "’", "'"))
}

// isLowerASCII reports whether s consists of lower-case ASCII letters. It is a
// fast path for most words.
func isLowerASCII(s string) bool {
	for i := range len(s) {
		if s[i]-'a' >= 26 {
			return false
		}
	}
	return true
}

// Join joins the text of words with spaces.
func Join(parts ...[]Word) string {
	var b strings.Builder
	for _, p := range parts {
		for _, w := range p {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(w.Text)
		}
	}
	return b.String()
}

// Words converts lower-case strings to words.
func Words(list ...string) []Word {
	w := make([]Word, len(list))
	for i, s := range list {
		w[i] = Word{s, s}
	}
	return w
}

// lowerFirst removes the initial capital of a function word or number.
func lowerFirst(w Word) Word {
	if IsDeterminer(w.Lower) || IsPreposition(w.Lower) || isAdverb(w.Lower) || IsNumeral(w.Lower) {
		_, size := utf8.DecodeRuneInString(w.Text)
		w.Text = strings.ToLower(w.Text[:size]) + w.Text[size:]
	}
	return w
}

// Capitalize returns s with its first letter in upper case.
func Capitalize(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if up := unicode.ToUpper(r); up != r && r != utf8.RuneError {
		return string(up) + s[size:]
	}
	return s
}

// StartsUpper reports whether text starts with an upper-case letter.
func StartsUpper(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(r)
}

//go:embed verbs.txt
var verbData string

// A VerbForm is a set of verb forms. Words such as "cut" have several forms.
type VerbForm uint8

// Verb forms.
const (
	BaseForm       VerbForm = 1 << iota // open, take
	ThirdPerson                         // opens, takes
	PastForm                            // opened, took
	ParticipleForm                      // opened, taken
)

// A verbTable holds common English verbs.
type verbTable struct {
	forms map[string]VerbForm
	past  map[string]string // past tense of irregular verbs, by base form
}

//nolint:gochecknoglobals // parsed once from embedded data, never changed
var verbs = sync.OnceValue(func() *verbTable {
	t := &verbTable{forms: make(map[string]VerbForm), past: make(map[string]string)}
	for line := range strings.Lines(verbData) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if len(words) == 3 {
			t.past[words[0]] = words[1]
			t.forms[words[1]] |= PastForm
			t.forms[words[2]] |= ParticipleForm
			words = words[:1]
		}
		for _, base := range words {
			t.forms[base] |= BaseForm
			t.forms[withS(base)] |= ThirdPerson
			if t.past[base] == "" {
				t.forms[withED(base)] |= PastForm | ParticipleForm
			}
		}
	}
	return t
})

// IsVerb reports whether word, in lower case, is a common verb in any of the given forms.
func IsVerb(word string, forms VerbForm) bool { return verbs().forms[word]&forms != 0 }

// PastTense returns the past tense of a verb, such as "opened" or "took".
func PastTense(base string) string {
	if p := verbs().past[base]; p != "" {
		return p
	}
	return withED(base)
}

// withS returns the third person singular of a verb, which is also the plural form of a noun.
func withS(base string) string {
	switch {
	case base == "have":
		return "has"
	case endsInConsonantY(base):
		return base[:len(base)-1] + "ies"
	}
	for _, end := range [...]string{"s", "x", "z", "ch", "sh", "o"} {
		if strings.HasSuffix(base, end) {
			return base + "es"
		}
	}
	return base + "s"
}

func withED(base string) string {
	n := len(base)
	switch {
	case n == 0:
		return ""
	case base[n-1] == 'e':
		return base + "d"
	case endsInConsonantY(base):
		return base[:n-1] + "ied"
	case doublesFinal(base):
		return base + base[n-1:] + "ed"
	}
	return base + "ed"
}

func endsInConsonantY(word string) bool {
	n := len(word)
	return n > 1 && word[n-1] == 'y' && !isVowel(word[n-2])
}

// doublesFinal reports whether the last letter of a verb is doubled before "ed", as in "stopped",
// "planned" and a few longer verbs with a stressed last syllable.
func doublesFinal(base string) bool {
	switch base {
	case "admit", "commit", "submit", "permit", "prefer", "refer", "transfer", "occur", "control", "cancel", "travel", "label", "enrol", "regret":
		return true
	}
	n := len(base)
	return (n == 3 || n == 4) && isVowel(base[n-2]) && !isVowel(base[n-1]) && strings.IndexByte("wxy", base[n-1]) < 0 &&
		!slices.ContainsFunc([]byte(base[:n-2]), isVowel)
}

func isVowel(b byte) bool { return strings.IndexByte("aeiou", b) >= 0 }

// IsQuestionWord reports whether s is an interrogative.
func IsQuestionWord(s string) bool {
	return slices.Contains([]string{"who", "whom", "whose", "what", "which", "when", "where", "why", "how"}, s)
}

// IsAuxiliary reports whether s is an auxiliary verb, with or without "n't".
func IsAuxiliary(s string) bool {
	return IsBe(s) || isDo(s) || isHave(s) || isForm(s, "can", "could", "may", "might", "must", "shall", "should", "will", "would")
}

// trimNegation removes "n't" from an auxiliary and reports whether it was negated.
func trimNegation(aux string) (string, bool) {
	switch aux {
	case "can't", "cant", "cannot":
		return "can", true
	case "won't":
		return "will", true
	case "shan't":
		return "shall", true
	}
	return strings.CutSuffix(aux, "n't")
}

// isForm reports whether s is one of forms, with or without "n't".
func isForm(s string, forms ...string) bool {
	s, _ = trimNegation(s)
	return slices.Contains(forms, s)
}

// IsBe reports whether s is a finite form of "be", with or without "n't".
func IsBe(s string) bool { return isForm(s, "is", "are", "was", "were", "am") }

func isDo(s string) bool { return isForm(s, "do", "does", "did") }

func isHave(s string) bool { return isForm(s, "has", "have", "had") }

// IsSubjectPronoun reports whether s is a pronoun that can be a subject.
func IsSubjectPronoun(s string) bool {
	return slices.Contains([]string{"i", "you", "he", "she", "it", "we", "they", "one", "everyone", "everybody", "anyone", "anybody", "someone", "somebody", "nobody", "everything", "anything", "something", "nothing"}, s)
}

// IsDeterminer reports whether s is a determiner.
func IsDeterminer(s string) bool {
	switch s {
	case "a", "an", "the", "this", "that", "these", "those", "my", "your", "his", "her", "its", "our", "their", "all", "any", "some", "each", "every", "no", "both",
		"another", "either", "neither", "many", "most", "several", "few":
		return true
	}
	return false
}

// IsPreposition reports whether s is a preposition or a conjunction used like one.
func IsPreposition(s string) bool {
	switch s {
	case "of", "in", "on", "at", "by", "for", "from", "to", "with", "without", "within", "under", "over", "after", "before", "during", "since", "until", "till", "through",
		"between", "among", "against", "about", "above", "below", "across", "along", "around", "behind", "beside", "besides", "beyond", "despite", "except", "inside", "into",
		"near", "off", "onto", "out", "outside", "per", "than", "toward", "towards", "up", "upon", "via", "because", "as", "when", "if", "while", "where", "unless":
		return true
	}
	return false
}

// isAdverb reports whether s is an adverb that can precede a verb.
func isAdverb(s string) bool {
	switch s {
	case "not", "also", "still", "already", "always", "ever", "never", "only", "often", "usually", "now", "then", "just", "even", "yet", "soon", "first", "currently", "daily":
		return true
	case "family", "supply", "reply", "apply", "assembly", "july", "italy", "ally", "bully", "monopoly":
		return false
	}
	return len(s) > 4 && strings.HasSuffix(s, "ly")
}

// IsParticiple reports whether s has the form of a past or present participle.
func IsParticiple(s string) bool {
	if IsVerb(s, ParticipleForm) {
		return true
	}
	switch s {
	case "hundred", "need", "speed", "seed", "feed", "breed", "indeed", "exceed", "proceed", "red", "bed", "shed", "wing", "ring", "king", "thing", "spring", "string", "morning", "evening", "building":
		return false
	case "been", "born", "done", "being":
		return true
	}
	return len(s) > 4 && (strings.HasSuffix(s, "ed") || strings.HasSuffix(s, "ing") && IsVerb(strings.TrimSuffix(s, "ing"), BaseForm))
}

// isAdjective reports whether s is a common predicative adjective or has a
// typical adjective ending.
func isAdjective(s string) bool {
	switch s {
	case "open", "free", "full", "empty", "quiet", "clean", "safe", "legal", "illegal", "valid", "available", "true", "false", "correct", "wrong", "right", "new", "old", "big", "small", "large", "long",
		"short", "high", "low", "hot", "cold", "warm", "cool", "fast", "slow", "early", "late", "cheap", "expensive", "easy", "hard", "difficult", "rich", "poor", "strong", "weak", "dry", "wet",
		"mandatory", "compulsory", "optional", "necessary", "voluntary", "responsible", "due", "able", "unable", "ready", "alive", "dead", "exempt", "liable", "eligible", "subject", "similar",
		"different", "equal", "identical", "separate", "public", "private", "common", "rare", "present", "absent", "independent", "permanent", "temporary", "final", "binding", "better", "worse",
		"newest", "largest", "part", "older", "newer", "higher", "lower", "larger", "smaller", "longer", "shorter", "cheaper", "faster", "heavier", "earlier", "later", "bigger", "greater", "fewer", "unlimited":
		return true
	}
	if len(s) < 6 {
		return false
	}
	for _, end := range [...]string{"able", "ible", "ful", "less", "ous", "ive", "ic", "ical", "ish"} {
		if strings.HasSuffix(s, end) {
			return true
		}
	}
	return false
}

// IsNumeral reports whether s is a number word or starts with a digit or currency sign.
func IsNumeral(s string) bool {
	if s == "" {
		return false
	}
	if strings.IndexByte("0123456789$", s[0]) >= 0 || strings.HasPrefix(s, "€") || strings.HasPrefix(s, "£") {
		return true
	}
	return slices.Contains([]string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}, s)
}

// IsMonth reports whether s is the name of a month or season, ignoring case.
func IsMonth(s string) bool {
	return slices.Contains([]string{
		"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december", "spring", "summer", "autumn", "winter", "fall",
		"jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
	}, strings.ToLower(s))
}

// IsPronoun reports whether s is a pronoun that can have an antecedent,
// possibly contracted with a verb ("theyre").
func IsPronoun(s string) bool {
	return slices.Contains([]string{"he", "she", "it", "its", "they", "theyre", "there", "theres", "this", "that", "thats", "these", "we", "you", "hes", "shes"}, s)
}
