package extract

import "testing"

func TestFold(t *testing.T) {
	for s, want := range map[string]string{
		"isnʼt isn`t isn´t isn＇t isn‘t isn′t isn’t":  "isn't isn't isn't isn't isn't isn't isn’t",
		"a `code` span, 5′ 3″, ‘quoted’":             "a `code` span, 5′ 3″, ‘quoted’",
		"nоt nσt n0t nеver сlosed c1osed":            "not not not never closed closed",
		"a1b2 5x0y v1":                               "a1b2 5x0y v1",
		"нет, όχι, 5 kΩ, 3 μg, β-carotene, B2B, 10s": "нет, όχι, 5 kΩ, 3 μg, β-carotene, B2B, 10s",
		"a ⑨⓪ ९० ٩٠ ９０ 𝟗𝟎":                           "a 90 90 90 90 90",
		"① one\n② two":                               "① one\n② two",
		"2 × 10⁻⁶, 10⁶, 5 m², H₂O₂, Fe³⁺, word¹":     "2 × 10^-6, 10^6, 5 m², H2O2, Fe3+, word¹",
		"−5 °C, p <= 0.05, a != b, x -> y, 1 +/- 2":  "-5 °C, p ≤ 0.05, a ≠ b, x → y, 1 ± 2",
		"x<-5, Ｏ＋, （注）":                              "x<-5, O+, （注）",
		"at –5 °C, 9–17, 2010 –2015, A –b":           "at -5 °C, 9–17, 2010 –2015, A –b",
		"1½ cups, ¼ cup, vol. Ⅷ, isn՚t, isnꞌt":       "1 1/2 cups, 1/4 cup, vol. VIII, isn't, isn't",
		"$45$ degrees, $12.5$, ($1,200$), $5 or $6$": "45 degrees, 12.5, (1,200), $5 or 6",
		"from $5 to $10, $5-$10, $5$6, $.$, $x$":     "from $5 to $10, $5-$10, $5$6, $.$, $x$",
		`7\.4, 1\,200, 1\. one, C:\.x, 5\%`:          `7.4, 1,200, 1\. one, C:\.x, 5\%`,
		"１２．５, １，２００, 2019，2020, １，二":                "12.5, 1,200, 2019，2020, 1，二",
		"plain text": "plain text",
	} {
		if got := Fold(s); got != want {
			t.Errorf("Fold(%q): got %q, want %q", s, got, want)
		}
	}
}
