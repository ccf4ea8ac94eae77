package values

// lookup returns the class of a word in lower case without accents, and its number.
func lookup(w []byte) (class, float64) {
	switch string(w) {
	case "zero", "null":
		return numeral, 0
	case "one", "eins":
		return numeral, 1
	case "two", "zwei", "deux", "dos":
		return numeral, 2
	case "three", "drei", "trois", "tres":
		return numeral, 3
	case "four", "vier", "quatre", "cuatro":
		return numeral, 4
	case "five", "funf", "cinq", "cinco":
		return numeral, 5
	case "six", "sechs", "seis":
		return numeral, 6
	case "seven", "sieben", "sept", "siete":
		if string(w) == "sept" {
			return month, 9
		}
		return numeral, 7
	case "eight", "acht", "huit", "ocho":
		return numeral, 8
	case "nine", "neun", "nueve":
		return numeral, 9
	case "ten", "zehn", "dix", "diez":
		return numeral, 10
	case "eleven", "elf", "onze", "once":
		if string(w) == "once" {
			return 0, 0 // English
		}
		return numeral, 11
	case "twelve", "zwolf", "douze", "doce":
		return numeral, 12
	case "thirteen":
		return numeral, 13
	case "fourteen":
		return numeral, 14
	case "fifteen":
		return numeral, 15
	case "sixteen":
		return numeral, 16
	case "seventeen":
		return numeral, 17
	case "eighteen":
		return numeral, 18
	case "nineteen":
		return numeral, 19
	case "twenty", "zwanzig", "vingt", "veinte":
		return numeral, 20
	case "thirty", "dreissig", "trente", "treinta":
		return numeral, 30
	case "forty":
		return numeral, 40
	case "fifty":
		return numeral, 50
	case "sixty":
		return numeral, 60
	case "seventy":
		return numeral, 70
	case "eighty":
		return numeral, 80
	case "ninety":
		return numeral, 90

	case "hundred":
		return scale, 1e2
	case "thousand", "k", "tausend", "mille", "mil":
		return scale, 1e3
	case "million", "millions", "mn", "mio", "millionen", "millon", "millones": //nolint:misspell // Spanish
		return scale, 1e6
	case "billion", "bn":
		return scale, 1e9
	case "milliarden", "mrd", "milliard", "milliards":
		return scale, 1e9
	case "trillion", "tn":
		return scale, 1e12
	case "m":
		return scale, 1e6
	case "b":
		return scale, 1e9
	case "dozen":
		return dozen, 12
	case "couple":
		return dozen, 2

	case "first":
		return ordinal, 1
	case "second":
		return ordinal, 2
	case "third":
		return ordinal, 3
	case "fourth":
		return ordinal, 4
	case "fifth":
		return ordinal, 5
	case "sixth":
		return ordinal, 6
	case "seventh":
		return ordinal, 7
	case "eighth":
		return ordinal, 8
	case "ninth":
		return ordinal, 9
	case "tenth":
		return ordinal, 10
	case "eleventh":
		return ordinal, 11
	case "twelfth":
		return ordinal, 12
	case "thirteenth":
		return ordinal, 13
	case "fourteenth":
		return ordinal, 14
	case "fifteenth":
		return ordinal, 15
	case "sixteenth":
		return ordinal, 16
	case "seventeenth":
		return ordinal, 17
	case "eighteenth":
		return ordinal, 18
	case "nineteenth":
		return ordinal, 19
	case "twentieth":
		return ordinal, 20
	case "thirtieth":
		return ordinal, 30

	case "half", "halves", "halb", "moitie", "mitad":
		return fraction, 2
	case "thirds":
		return fraction, 3
	case "quarter", "quarters", "fourths", "viertel":
		return fraction, 4
	case "fifths":
		return fraction, 5
	case "sixths":
		return fraction, 6
	case "sevenths":
		return fraction, 7
	case "eighths":
		return fraction, 8
	case "ninths":
		return fraction, 9
	case "tenths":
		return fraction, 10

	case "twice", "doubled", "double", "doubles", "doubling", "twofold":
		return multiple, 2
	case "thrice", "tripled", "triple", "triples", "tripling", "trebled", "threefold":
		return multiple, 3
	case "quadrupled", "quadruple", "quadruples", "fourfold":
		return multiple, 4
	case "fivefold", "quintupled":
		return multiple, 5
	case "tenfold":
		return multiple, 10
	case "halved", "halving":
		return multiple, 0.5

	case "hour", "minute", "day", "week", "month", "year", "decade", "fortnight", "century", "kilometre", "kilometer", "mile", "kilo", "metre", "meter", "litre", "liter",
		"kilogram", "tonne", "millennium":
		return lone, 1
	case "noon", "midday":
		return clockWord, 12 * 60
	case "midnight":
		return clockWord, 0
	case "q":
		return quarterQ, 3
	case "h":
		return quarterQ, 6

	case "spring":
		return season, 3
	case "summer":
		return season, 6
	case "autumn":
		return season, 9
	case "winter":
		return season, 12
	case "twenties":
		return era, 20
	case "thirties":
		return era, 30
	case "forties":
		return era, 40
	case "fifties":
		return era, 50
	case "sixties":
		return era, 60
	case "seventies":
		return era, 70
	case "eighties":
		return era, 80
	case "nineties":
		return era, 90

	case "sunday", "sundays", "sonntag", "dimanche", "domingo":
		return weekday, 0
	case "monday", "mondays", "montag", "lundi", "lunes":
		return weekday, 1
	case "tuesday", "tuesdays", "dienstag", "mardi", "martes":
		return weekday, 2
	case "wednesday", "wednesdays", "mittwoch", "mercredi", "miercoles":
		return weekday, 3
	case "thursday", "thursdays", "donnerstag", "jeudi", "jueves":
		return weekday, 4
	case "friday", "fridays", "freitag", "vendredi", "viernes":
		return weekday, 5
	case "saturday", "saturdays", "samstag", "samedi", "sabado":
		return weekday, 6
	}
	return lookupMonth(string(w))
}

// lookupMonth returns the class of the months in English, German, French, Spanish,
// Italian, Portuguese, Dutch and Arabic, and of words that end a noun.
func lookupMonth(w string) (class, float64) {
	switch w {
	case "january", "jan", "januar", "janvier", "enero", "gennaio", "janeiro", "januari", "يناير":
		return month, 1
	case "february", "feb", "februar", "fevrier", "febrero", "febbraio", "fevereiro", "februari", "فبراير":
		return month, 2
	case "march", "mar", "marz", "mars", "marzo", "marco", "maart", "مارس":
		return month, 3
	case "april", "apr", "avril", "abril", "aprile", "أبريل", "ابريل":
		return month, 4
	case "may", "mai", "mayo", "maggio", "maio", "mei", "مايو":
		return month, 5
	case "june", "jun", "juni", "juin", "junio", "giugno", "junho", "يونيو":
		return month, 6
	case "july", "jul", "juli", "juillet", "julio", "luglio", "julho", "يوليو":
		return month, 7
	case "august", "aug", "aout", "agosto", "augustus", "أغسطس", "اغسطس":
		return month, 8
	case "september", "sep", "septembre", "septiembre", "settembre", "setembro", "سبتمبر":
		return month, 9
	case "october", "oct", "oktober", "octobre", "octubre", "ottobre", "outubro", "أكتوبر", "اكتوبر":
		return month, 10
	case "november", "nov", "novembre", "noviembre", "novembro", "نوفمبر":
		return month, 11
	case "december", "dec", "dezember", "decembre", "diciembre", "dicembre", "dezembro", "ديسمبر": //nolint:misspell // French
		return month, 12

	case "a", "an", "the", "of", "in", "on", "at", "to", "for", "from", "by", "with", "and", "or", "but", "nor", "so",
		"as", "than", "then", "is", "are", "was", "were", "be", "been", "has", "have", "had", "do", "does", "did", "it",
		"he", "she", "they", "we", "you", "i", "its", "his", "her", "their", "our", "your", "this", "that", "these",
		"those", "there", "which", "who", "whom", "whose", "when", "where", "while", "because", "if", "unless", "not",
		"no", "will", "would", "can", "could", "may not", "might", "must", "shall", "should", "per", "each", "every",
		"all", "both", "about", "over", "under", "after", "before", "since", "until", "during", "between", "within",
		"without", "through", "into", "out", "up", "down", "off", "against", "more", "less", "fewer", "most", "least",
		"only", "also", "just", "even", "rather", "altogether", "later", "earlier", "ago", "came", "went", "took", "left", "made",
		"die", "der", "das", "und", "oder", "von", "mit", "im", "am", "zu", "de", "la", "le", "les", "et", "ou", "el",
		"los", "las", "y", "en":
		return stop, 0
	}
	return 0, 0
}
