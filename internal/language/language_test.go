package language

import "testing"

func TestLanguageIsUnclear(t *testing.T) {
	for name, text := range map[string]string{
		"empty":            "",
		"numbers":          "1889, 42 m, 3.5 %",
		"short":            "Der Turm.",
		"names":            "Los Angeles, Las Vegas, El Paso, San Diego, Le Havre, Der Spiegel, Die Zeit, La Stampa",
		"painters":         "Vincent van Gogh, Jan van Eyck, Rogier van der Weyden, Leonardo da Vinci",
		"foreign title":    "“À la recherche du temps perdu”, “Die Leiden des jungen Werthers”, “Das Leben der Anderen”",
		"foreign quote":    "The inscription says: “Dem Volke ist das Haus gewidmet, und es soll ihm eine Heimat sein”, which is now hard to read.",
		"code":             "for i := range n {\n\tsum += a[i] // la suma de los elementos\n}",
		"two languages":    "The house is open and it was built in 1889. Das Haus ist offen und es wurde 1889 gebaut.",
		"mixed scripts":    "Transformer 模型由 Google Brain 提出，并用于 BERT 和 GPT",
		"Chinese name":     "北京大学",
		"transliterations": "Москва (Moskva), Санкт-Петербург (Sankt-Peterburg), Казань (Kazan)",
	} {
		var p Profile
		p.Add(text)
		if got := p.Language(); got != "" {
			t.Errorf("%s: got %s, want none", name, got)
		}
	}
}

func TestHasDecimalComma(t *testing.T) {
	for text, want := range map[string]bool{
		"Die Stadt hat 250.000 Einwohner.":       true,
		"El pueblo tiene 3.000 habitantes.":      true,
		"The house was built for 3.000 dollars.": false,
		"3.000":                                  false,
		"Дом был построен в 1889 году за 3.000 лет.":  false,
		"The house in the Rue de la Paix cost 3.000.": false,
	} {
		var p Profile
		p.Add(text)
		if got := p.HasDecimalComma(); got != want {
			t.Errorf("%q: got %t, want %t", text, got, want)
		}
	}
}

func TestExcludes(t *testing.T) {
	english := "The house was built in 1889 and it is open to all who want to see it. "
	german := "Das Haus wurde 1889 gebaut und es ist für alle offen, die es sehen wollen. "
	for _, tt := range []struct {
		name, text, language string
		want                 bool
	}{
		{"other language", german + german, "English", true},
		{"same language", german, "German", false},
		{"other script", "Дом был построен в 1889 году и открыт для всех.", "English", true},
		{"unclear text", "Haus 1889", "English", false},
		{"an English paragraph in a German document", german + german + german + german + german + english, "English", false},
		{"Chinese without kana for Japanese", "这座房子建于1889年，对所有想参观的人开放。", japanese, true},
	} {
		var p Profile
		p.Add(tt.text)
		if got := p.Excludes(tt.language); got != tt.want {
			t.Errorf("%s: got %t, want %t", tt.name, got, tt.want)
		}
	}
}
