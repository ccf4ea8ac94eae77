package semantic

// points knows the words that refer to what was said and not to a name.
func points(w string) bool {
	switch w {
	case "this", "these", "those", "here", "there", "former", "latter", "we", "us", "our", "ours", "i", "me", "my", "mine", "you", "your", "yours":
		return true
	}
	return false
}

// english reports whether a claim has a word that only English has.
func english(ws []word) bool {
	for _, w := range ws {
		switch w.text {
		case "of", "is", "was", "are", "were", "and", "has", "have", "had", "with", "by", "to", "from", "for", "not", "which", "that", "their":
			return true
		}
	}
	return false
}

// kindOf finds what is known of a word that is no number and no date.
func kindOf(w word) kind {
	switch w.text {
	case "he", "she", "it", "they", "him", "her", "them", "his", "hers", "its", "their", "theirs", "himself", "herself", "itself", "themselves",
		"this", "these", "those", "we", "us", "our", "ours", "i", "me", "my", "mine", "you", "your", "yours",
		"here", "there", "latter":
		if w.capital && !w.first && w.text == "us" {
			return plain // the US
		}
		return pronoun
	case "not", "no", "never", "none", "nobody", "nothing", "neither", "nor", "without", "hardly", "barely", "unless", "except", "lack", "lacks", "fail", "fails", "failed", "unable", "nowhere":
		return negation
	case "all", "some", "most", "every", "each", "only", "any", "many", "much", "few", "several", "both", "half", "least", "always", "often", "sometimes", "usually", "rarely", "seldom",
		"about", "around", "approximately", "nearly", "almost", "roughly", "exactly", "just", "up", "over", "under", "entire", "whole", "partly", "mainly", "mostly", "majority", "minority", "generally", "solely", "alone":
		return quantifier
	case "more", "less", "fewer", "better", "worse", "best", "worst", "greater", "before", "after", "since", "until", "during", "above", "below", "first", "last", "second", "third", "former",
		"earlier", "later", "next", "previous", "increase", "increased", "increases", "decrease", "decreased", "decreases", "than", "same", "different", "higher", "lower", "then", "further", "too":
		return comparison
	case "is", "are", "am", "was", "were", "be", "been", "being", "has", "have", "had", "having", "do", "does", "did", "will", "would", "can", "could", "may", "might", "must", "shall", "should",
		"if", "whether", "still", "already", "now", "once", "again", "allegedly", "reportedly", "possibly", "probably", "likely", "perhaps", "maybe":
		return auxiliary
	case "of", "in", "on", "at", "to", "from", "by", "with", "for", "into", "onto", "through", "between", "among", "against", "towards", "toward", "via", "near", "outside", "inside", "within", "off", "out", "down",
		"and", "or", "but", "as", "because", "although", "though", "while", "whereas", "which", "who", "whom", "whose", "that", "such", "thereby", "therefore", "thus", "so", "where", "when", "why", "how", "what":
		return function
	}
	return plain
}

// numeral is the digits of a number that is written as a word.
func numeral(w string) (string, bool) {
	switch w {
	case "zero":
		return "0", true
	case "one":
		return "1", true
	case "two":
		return "2", true
	case "three":
		return "3", true
	case "four":
		return "4", true
	case "five":
		return "5", true
	case "six":
		return "6", true
	case "seven":
		return "7", true
	case "eight":
		return "8", true
	case "nine":
		return "9", true
	case "ten":
		return "10", true
	case "eleven":
		return "11", true
	case "twelve":
		return "12", true
	case "fourth":
		return "4th", true
	case "fifth":
		return "5th", true
	case "sixth":
		return "6th", true
	case "seventh":
		return "7th", true
	case "eighth":
		return "8th", true
	case "ninth":
		return "9th", true
	case "tenth":
		return "10th", true
	case "eleventh":
		return "11th", true
	case "twelfth":
		return "12th", true
	case "hundred", "thousand", "million", "billion", "trillion", "dozen", "twice", "double", "doubled", "triple", "quarter",
		"thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
		"twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety":
		return w, true
	}
	return "", false
}
