package entail

import "github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"

// Cause returns the word by which x says why something happened, or "". Inferences, as
// by "therefore", and words that are often used loosely, such as "leading to", do not
// count.
func (x *Sentence) Cause() string {
	for i := 1; i < len(x.Words); i++ {
		if x.isCause(i) {
			return x.Words[i].Lower
		}
	}
	return ""
}

func (x *Sentence) isCause(i int) bool {
	switch x.Words[i].Lower {
	case "because", "owing", "caused", "causing", "prompted", "triggered", "forced", "sparked":
		return true
	case "due", "thanks", "led":
		return x.lower(i+1) == "to"
	case "why":
		return x.lower(i-1) == "is"
	case "cause", "causes": // not the noun
		return x.Words[i-1].Content && !x.Words[i-1].Is(lexicon.Negation)
	}
	return false
}

// Explains reports whether x may say why something happened.
func (x *Sentence) Explains() bool {
	for i := range x.Words {
		if x.Words[i].traits&causal != 0 {
			return true
		}
		switch x.Words[i].Lower {
		case "since", "as", "so", "for", "why", "reason", "reasons", "effect", "thereby", "allow", "allows", "allowing", "enable", "enables", "help", "helps", "helped":
			return true
		}
	}
	return false
}
