package segment

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSentencesAbbreviationsByLanguage(t *testing.T) {
	for _, c := range []struct {
		lang, text string
		want       []string
	}{
		{"de", "Am 3. Oktober kam Dr. med. Weber, d. h. der Arzt. Er blieb bis 12 Uhr.", []string{"Am 3. Oktober kam Dr. med. Weber, d. h. der Arzt.", "Er blieb bis 12 Uhr."}},
		{"da", "Den 5. maj kom hr. Holm, bl.a. med tog. Hun ventede.", []string{"Den 5. maj kom hr. Holm, bl.a. med tog.", "Hun ventede."}},
		{"sv", "Han köpte t.ex. Volvo för 3 milj. kronor. Det var dyrt.", []string{"Han köpte t.ex. Volvo för 3 milj. kronor.", "Det var dyrt."}},
		{"nl", "Prof. Jansen woont o.a. in Delft. Zij werkt in Leiden.", []string{"Prof. Jansen woont o.a. in Delft.", "Zij werkt in Leiden."}},
		{"fr", "M. Dupont habite av. Foch depuis janv. 2010. Il y travaille.", []string{"M. Dupont habite av. Foch depuis janv. 2010.", "Il y travaille."}},
		{"es", "El Lic. Paz vive en los EE. UU. desde 1990. ¿Por qué?", []string{"El Lic. Paz vive en los EE. UU. desde 1990.", "¿Por qué?"}},
		{"it", "L'Avv. Neri cita l'art. 4. Il giudice tace.", []string{"L'Avv. Neri cita l'art. 4.", "Il giudice tace."}},
		{"pt", "O Sr. Silva mora na av. Brasil. Ele trabalha.", []string{"O Sr. Silva mora na av. Brasil.", "Ele trabalha."}},
		{"pl", "Prof. Nowak mieszka przy ul. Długiej, m.in. z synem. To daleko.", []string{"Prof. Nowak mieszka przy ul. Długiej, m.in. z synem.", "To daleko."}},
		{"cs", "Dne 3. května přišel Ing. Novák, tzv. mistr. Byl rád.", []string{"Dne 3. května přišel Ing. Novák, tzv. mistr.", "Byl rád."}},
		{"sk", "Na 10. pokus prišiel XII. Pluk. Bol rád.", []string{"Na 10. pokus prišiel XII. Pluk.", "Bol rád."}},
		{"ru", "Проф. Иванов живёт на ул. 1 Мая. Он рад.", []string{"Проф. Иванов живёт на ул. 1 Мая.", "Он рад."}},
		{"uk", "Проф. Коваль живе на вул. 1 Травня. Він радий.", []string{"Проф. Коваль живе на вул. 1 Травня.", "Він радий."}},
		{"bg", "Проф. Иванов живее на пл. 1 Май. Той е тук.", []string{"Проф. Иванов живее на пл. 1 Май.", "Той е тук."}},
		{"el", "Ο κ. Νίκος ήρθε, π.χ. χθες. Είναι εδώ.", []string{"Ο κ. Νίκος ήρθε, π.χ. χθες.", "Είναι εδώ."}},
		{"tr", "Prof. Kaya 5. yüzyılda, örn. Roma'da der. Bu doğru.", []string{"Prof. Kaya 5. yüzyılda, örn. Roma'da der.", "Bu doğru."}},
	} {
		t.Run(c.lang, func(t *testing.T) {
			for _, tag := range []string{c.lang, strings.ToUpper(c.lang), c.lang + "-XX", c.lang + "-x-claims"} {
				if d := cmp.Diff(c.want, sentences(c.text, tag)); d != "" {
					t.Errorf("%s (-want +got):\n%s", tag, d)
				}
			}
		})
	}
}

func TestDetect(t *testing.T) {
	for want, text := range map[string]string{
		"en": "The house was built in 1900 and it is now a museum.",
		"de": "Das Haus wurde im Jahr 1900 gebaut und ist heute ein Museum.",
		"fr": "La maison a été construite en 1900 et elle est un musée.",
		"es": "La casa fue construida en 1900 y es un museo de la ciudad.",
		"it": "La casa è stata costruita nel 1900 ed è un museo della città.",
		"nl": "Het huis werd in 1900 gebouwd en is nu een museum van de stad.",
		"pl": "Dom został zbudowany w 1900 roku i jest to muzeum na wsi.",
		"ru": "Дом был построен в 1900 году, и теперь это музей, который открыт.",
		"uk": "Будинок був збудований у 1900 році, і тепер це музей.",
		"kk": "Қазақстан үлкені.",
		"el": "Το σπίτι χτίστηκε το 1900.",
		"ar": "بني البيت عام 1900 وهو متحف.",
		"fa": "این خانه پیش از جنگ ساخته شد.",
		"ur": "یہ گھر بہت پرانا ہے۔",
		"hi": "यह घर 1900 में बना है।",
		"mr": "हे घर जुने आहे आणि ते आज बंद होते.",
		"zh": "这座房子建于1900年。",
		"ja": "この家は1900年に建てられました。",
		"am": "ቤቱ ትልቅ ነው።",
		"hy": "Տունը մեծ է:",
		"my": "အိမ်ကြီးသည်။",
	} {
		if got := languages().detector.detect(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"", "42", "Paris", "---", "ok", "서울은 크다.", "\xff\xfe"} {
		if got := languages().detector.detect(text); got != "en" {
			t.Errorf("%q: got %s, want en", text, got)
		}
	}
}

func TestLanguageOfATagOrText(t *testing.T) {
	const german = "Das Haus wurde im Jahr 1900 gebaut und ist heute ein Museum."
	for tag, want := range map[string]string{"": "de", "und": "de", "x-claims": "de", "en": "en", "EN-gb": "en", "pt_BR": "pt"} {
		if got := Language(german, tag); got != want {
			t.Errorf("%q: got %s, want %s", tag, got, want)
		}
	}
}

func TestDetectLongText(t *testing.T) {
	const (
		german  = "Das Haus wurde im Jahr 1900 gebaut und ist heute ein Museum, in dem auch die alten Bilder der Stadt zu sehen sind. "
		english = "The house was built in the year 1900 and is now a museum, in which one can see all of the old pictures of the town. "
		danish  = "Huset blev bygget i 1900 og er nu et museum, hvor man kan se alle de gamle billeder af byen. "
		italian = "La casa è stata costruita nel 1900 ed è un museo della città in cui si vedono anche i quadri più antichi. "
		russian = "Дом был построен в 1900 году, и теперь это музей, который открыт для всех, кто хочет его видеть. "
	)
	for name, c := range map[string]struct{ want, text string }{
		"English":                       {"en", strings.Repeat(english, 20)},
		"German":                        {"de", strings.Repeat(german, 20)},
		"Danish":                        {"da", strings.Repeat(danish, 20)},
		"Italian":                       {"it", strings.Repeat(italian, 20)},
		"Russian":                       {"ru", strings.Repeat(russian, 20)},
		"German, English first":         {"de", english + strings.Repeat(german, 12)},
		"German, English last":          {"de", strings.Repeat(german, 12) + english},
		"German, English in the middle": {"de", strings.Repeat(german, 6) + english + strings.Repeat(german, 6)},
		"English, German in the middle": {"en", strings.Repeat(english, 6) + german + strings.Repeat(english, 6)},
		"Russian, English first":        {"ru", english + strings.Repeat(russian, 20)},
		"one long word":                 {"en", strings.Repeat("a", 5000)},
		"no words":                      {"en", strings.Repeat("1 ", 5000)},
		"invalid UTF-8":                 {"ru", "\xd0" + strings.Repeat(russian, 20) + "\xd0"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := languages().detector.detect(c.text); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestSentencesClaimsTag(t *testing.T) {
	for _, c := range []struct {
		name, text, lang string
		golden, claims   int
	}{
		{"Arabic clauses", "ذهب الولد إلى البيت، وأكل الطعام، ثم نام في سريره.", "ar", 3, 1},
		{"a quotation of two sentences", "«Идёт дождь. Он льёт», сказал он.", "ru", 1, 2},
		{"a variable", "The set omits v. If it does not, it is large.", "en", 1, 2},
		{"a Russian year", "Дом построен в 1898 г. В 1900 году он продан.", "ru", 1, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := sentences(c.text, c.lang); len(got) != c.golden {
				t.Errorf("%s: got %q, want %d sentences", c.lang, got, c.golden)
			}
			if got := sentences(c.text, c.lang+"-x-claims"); len(got) != c.claims {
				t.Errorf("%s-x-claims: got %q, want %d sentences", c.lang, got, c.claims)
			}
		})
	}
}

func TestLanguageDataIsValid(t *testing.T) {
	known := map[string]bool{"rules": true, "common": true}
	for _, n := range []string{"title", "never", "number", "inside", "bound", "unit", "end", "clock", "word", "start", "open", "speech", "month", "zone", "brand", "close"} {
		known[n] = true
	}
	for tag := range languages().byTag {
		for l := range strings.Lines(readData(tag)) {
			name, words, ok := strings.Cut(strings.TrimSpace(l), ":")
			if strings.HasPrefix(l, "#") || strings.TrimSpace(l) == "" {
				continue
			}
			if !ok || !known[name] || strings.TrimSpace(words) == "" {
				t.Errorf("%s: invalid line %q", tag, l)
			}
			for w := range strings.FieldsSeq(words) {
				if strings.HasSuffix(w, ".") || len(w) > maxWord {
					t.Errorf("%s: %q ends with a full stop or is too long", tag, w)
				}
			}
		}
	}
}

func TestSentencesInMail(t *testing.T) {
	checkSentences(t, "en", []sentencesTest{
		{"timestamp", "Ada King 08/16/2000 03:14 PM All is well.", []string{"Ada King", "08/16/2000 03:14 PM", "All is well."}},
		{"timestamp in sentence", "It came on 08/16/2000 03:14 PM Then it left.", []string{"It came on 08/16/2000 03:14 PM", "Then it left."}},
		{"time", "It ends at 03:14 PM today.", []string{"It ends at 03:14 PM today."}},
		{"closing", "All is well. Best regards, Ada", []string{"All is well.", "Best regards,", "Ada"}},
		{"closing word in sentence", "He sent thanks, Ada said.", []string{"He sent thanks, Ada said."}},
		{"URLs", "http://a.b/c http://d.e/f It rains.", []string{"http://a.b/c", "http://d.e/f", "It rains."}},
		{"URL in sentence", "See http://a.b/c for more.", []string{"See http://a.b/c for more."}},
		{"attachments", "- a.pdf - b.doc - c.xls", []string{"a.pdf", "b.doc", "c.xls"}},
		{"dashes", "It rains - it pours - it stops.", []string{"It rains - it pours - it stops."}},
		{"underscore rule", "One ____________________________ Two", []string{"One", "____________________________", "Two"}},
		{"emoticon", "It works :-) Thank you all", []string{"It works :-)", "Thank you all"}},
		{"no space after question mark", "who is it?thanks for all", []string{"who is it?", "thanks for all"}},
		{"URL query", "Open a.b/c?id=3 now", []string{"Open a.b/c?id=3 now"}},
		{"note references", "So it was in most cases.12 13 The next was not.", []string{"So it was in most cases.12 13", "The next was not."}},
		{"version", "Use release v.2 The last was bad.", []string{"Use release v.2 The last was bad."}},
	})
}
