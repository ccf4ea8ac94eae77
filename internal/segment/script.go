package segment

// The scripts, and letters within a script, that tell languages apart.
const (
	_ = iota
	kana
	han
	greek
	armenian
	ethiopic
	burmese
	devanagari
	cyrillic
	russian   // letters that Bulgarian and Ukrainian lack
	ukrainian // letters that Russian and Bulgarian lack
	kazakh
	arabic
	persian // letters that Arabic lacks
	urdu    // letters that Arabic and Persian lack
	scriptCount
)

// scriptOf is the most telling of the scripts that the letter belongs to, 0 for
// Latin and what is not listed.
func scriptOf(r rune) int {
	switch {
	case r < 0x370:
		return 0
	case r < 0x400:
		return greek
	case r < 0x530:
		return cyrillicOf(r)
	case 0x531 <= r && r <= 0x58A:
		return armenian
	case 0x620 <= r && r <= 0x6FF:
		return arabicOf(r)
	case 0x900 <= r && r <= 0x97F:
		return devanagari
	case 0x1000 <= r && r <= 0x109F:
		return burmese
	case 0x1200 <= r && r <= 0x137F:
		return ethiopic
	case 0x1F00 <= r && r <= 0x1FFF:
		return greek
	case 0x3041 <= r && r <= 0x30FA:
		return kana
	case 0x4E00 <= r && r <= 0x9FFF:
		return han
	}
	return 0
}

func cyrillicOf(r rune) int {
	switch r {
	case 'ы', 'э', 'ё', 'Ы', 'Э', 'Ё':
		return russian
	case 'і', 'ї', 'є', 'ґ', 'І', 'Ї', 'Є', 'Ґ':
		return ukrainian
	case 'қ', 'ғ', 'ң', 'ә', 'ө', 'ү', 'ұ', 'һ', 'Қ', 'Ғ', 'Ә', 'Ө', 'Ү', 'Ұ':
		return kazakh
	}
	return cyrillic
}

func arabicOf(r rune) int {
	switch r {
	case 'ٹ', 'ڈ', 'ڑ', 'ے', 'ں', 'ہ':
		return urdu
	case 'پ', 'چ', 'ژ', 'گ', 'ک', 'ی':
		return persian
	}
	return arabic
}

// mostly is the language that the letters of a text speak for, "" where they
// leave it open.
func mostly(n *[scriptCount]int, letters int) string {
	if cjk := n[kana] + n[han]; n[kana]*10 > cjk && cjk*3 > letters {
		return "ja"
	}
	tags := [...]string{han: "zh", greek: "el", armenian: "hy", ethiopic: "am", burmese: "my", devanagari: "hi"}
	for s := han; s <= devanagari; s++ {
		if n[s]*3 > letters {
			return tags[s]
		}
	}
	if all := n[cyrillic] + n[russian] + n[ukrainian] + n[kazakh]; all*3 > letters {
		switch {
		case n[kazakh]*50 > all:
			return "kk"
		case n[russian] > n[ukrainian]:
			return "ru"
		case n[ukrainian] > 0:
			return "uk"
		case all > 60:
			return "bg" // Russian does not do without ы so long
		}
		return "ru"
	}
	if all := n[arabic] + n[persian] + n[urdu]; all*3 > letters {
		switch {
		case n[urdu]*50 > all:
			return "ur"
		case n[persian]*50 > all:
			return "fa"
		}
		return "ar"
	}
	return ""
}
