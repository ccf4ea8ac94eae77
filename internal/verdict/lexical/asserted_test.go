package lexical

import (
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/segment"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// judgeMarkup judges claims as the command does: with folded characters and full sentence
// segmentation.
func judgeMarkup(t *testing.T, context, claim string) verdict.Verdict {
	t.Helper()
	j := verdict.PlainJudge{Inner: newJudge(t, Options{Sentences: func(text string, yield func(start, end int)) {
		for _, s := range segment.Sentences(text, "x-claims") {
			yield(s.Start, s.End)
		}
	}})}
	got, err := j.Judge(t.Context(), newTask("", []string{context}, claim))
	if err != nil {
		t.Fatal(err)
	}
	return got.Verdicts[0]
}

func testSupport(t *testing.T, want bool, cases [][2]string) {
	t.Helper()
	for _, c := range cases {
		if v := judgeMarkup(t, c[0], c[1]); (v.Label == verdict.Supported) != want {
			t.Errorf("%q in %q: got %v, %.2f (%s), want supported %v", c[1], c[0], v.Label, v.Score, v.Reason, want)
		}
	}
}

func TestDeniedStatementsSupportNothing(t *testing.T) {
	t.Parallel()
	const claim = "The canal freezes in winter."
	for _, context := range []string{
		"It is a misconception that the canal freezes in winter.",
		"The claim that the canal freezes in winter is false.",
		"There is no evidence that the canal freezes in winter.",
		"Nobody has ever shown that the canal freezes in winter.",
		"It was once thought that the canal freezes in winter.",
		"Some sailors wrongly believe that the canal freezes in winter.",
		"The mayor denied that the canal freezes in winter.",
		"Nobody says the canal freezes in winter.",
		"We do not know whether the canal freezes in winter.",
		"If the canal freezes in winter, the ferry stops.",
		"Unless the canal freezes in winter, the ferry runs.",
		"It would be sad if the canal freezes in winter.",
		"It would be sad for the canal if the canal freezes in winter.",
		"Suppose the canal freezes in winter.",
		"Myth: The canal freezes in winter. Fact: The water is too warm.",
		"Q: The canal freezes in winter? A: No.",
		"A child asked: “The canal freezes in winter?”",
		"Had the pumps stopped, the canal would have frozen in winter, which it has never done.",
		"❌ The canal freezes in winter.",
		"We wish we could say that the canal freezes in winter.",
		"Far from it being true that the canal freezes in winter, the water is warm.",
		"One legend, so old that it is in no book, is that the canal freezes in winter.",
		"[WRONG] The canal freezes in winter.",
		"From a satire show: The canal freezes in winter. The editor says it was a joke.",
		"~~The canal freezes in winter.~~ The water is too warm.",
		"The canal freezes in winter. This was never proven.",
		"The canal freezes in winter. The story is a myth.",
		"<del>The canal freezes in winter.</del> The water is too warm.",
	} {
		testSupport(t, false, [][2]string{{context, claim}})
	}
	for _, context := range []string{
		"The canal freezes in winter.",
		"However, the canal freezes in winter.",
		"2. **The canal freezes in winter.**",
		"Note: the canal freezes in winter, and the ferry stops.",
		"The ferry stops, and the canal freezes in winter.",
		"The report states that the canal freezes in winter.",
		"It is true that the canal freezes in winter.",
		"It is not a myth that the canal freezes in winter.",
		"The air is so cold that the canal freezes in winter.",
		"That narrow canal freezes in winter.",
		"Does it freeze? Yes, the canal freezes in winter.",
		"Q: The canal freezes in winter? A: Yes.",
		"A sailor said that the canal freezes in winter. The ferry does not run then.",
		"The guide says: “The canal freezes in winter.” This is no mistake.",
		"One reason is that the canal freezes in winter.",
		"We wish to announce that the canal freezes in winter.",
		"It is no secret that the canal freezes in winter.",
		"The canal freezes in winter. Its source was never found.",
		"The canal freezes in winter. It does not remember summer.",
		"The canal freezes in winter. Nobody knows why.",
		"The canal freezes in winter. This does not mean forever.",
		"The canal freezes in winter. This need not be confirmed.",
		"According to the guide, the canal freezes in winter. Please report errors in this page.",
	} {
		testSupport(t, true, [][2]string{{context, claim}})
	}
	testSupport(t, true, [][2]string{ // the question is part of the statement
		{"The song is called “Does the canal freeze?” It is old.", "The song is called “Does the canal freeze?”"},
		{"The topic was \"Why does it freeze?\" It is old.", "The topic was \"Why does it freeze?\""},
	})
	testSupport(t, false, [][2]string{
		{"Does the “canal” freeze in winter? It is old.", "The “canal” freezes in winter."},
		{"Es stimmt nicht, dass die Brücke gesperrt ist.", "Die Brücke ist gesperrt."},
		{"Es falso que el barco lleve coches en verano.", "El barco lleva coches en verano."},
		{"Es falso que el puente está abierto a los camiones.", "El puente está abierto a los camiones."},
		{"C'est un mythe que le pont est ouvert aux camions.", "Le pont est ouvert aux camions."},
	})
	testSupport(t, false, [][2]string{
		{"Had the guard slept, the thief would have escaped.", "The thief escaped."},
		{"Many guests wrongly assume that the bar is open until noon.", "The bar is open until noon."},
		{"For years the guard pretended that he was a doctor.", "The guard was a doctor."},
	})
	testSupport(t, true, [][2]string{
		{"The guard would sing when the bar closed. The thief escaped.", "The thief escaped."},
		{"Die Stadt teilt mit, dass die Brücke gesperrt ist.", "Die Brücke ist gesperrt."},
	})
}

func TestSignsBelongToValuesAndNames(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{ // each is supported by itself only
		{"The effect was significant (p < 0.01).", "The effect was significant (p > 0.01)."},
		{"Adults with a score ≥ 7 were invited.", "Adults with a score ≤ 7 were invited."},
		{"The value of x = 4.", "The value of x ≠ 4."},
		{"The vault is kept at −20 °C.", "The vault is kept at 20 °C."},
		{"The profit was −€3 million.", "The profit was €3 million."},
		{"The loss was to ($40) by May.", "The loss was to $40 by May."},
		{"The count was 4 × 10⁻⁹ per ml.", "The count was 4 × 10⁹ per ml."},
		{"The deviation is 3 ± 1 mm.", "The deviation is 3 ± 0.1 mm."},
		{"The gas is CO₂.", "The gas is CO."},
		{"The reaction yields Fe²⁺ ions.", "The reaction yields Fe³⁺ ions."},
		{"Her blood group is AB−.", "Her blood group is AB+."},
		{"The driver is written in C.", "The driver is written in C++."},
		{"Mix sand and lime at 3:1.", "Mix sand and lime at 1:3."},
		{"The pipe runs A → B.", "The pipe runs A ← B."},
		{"A pass costs NZ$25.", "A pass costs A$25."},
		{"The hall seats ६० people.", "The hall seats ९० people."},
		{"The cake needs ⅓ cup of oil.", "The cake needs ⅔ cup of oil."},
		{"Tablets contain 5 mg of folate.", "Tablets contain 5 µg of folate."},
		{"The slope of the canal is 2 %.", "The slope of the canal is 2 ‰."},
		{"Press ⇧ to leave the menu.", "Press ⇩ to leave the menu."},
		{"The side is √7 cm long.", "The side is 7 cm long."},
		{"The offset is ±0.3 mm.", "The offset is +0.3 mm."},
		{"The ♀ bird sings.", "The ♂ bird sings."},
	} {
		testSupport(t, true, [][2]string{{c[0], c[0]}, {c[1], c[1]}})
		testSupport(t, false, [][2]string{{c[0], c[1]}, {c[1], c[0]}})
	}
	testSupport(t, true, [][2]string{ // typography without meaning
		{"The gas is CO₂.", "The gas is CO2."},
		{"The count was 10⁶ cells.", "The count was 10^6 cells."},
		{"The hall seats ６０ people.", "The hall seats 60 people."},
		{"The museum’s café – open 9–17 – is “free”.", "The museum's café - open 9-17 - is \"free\"."},
		{"> The **speed** is 30 km/h.", "The speed is 30 km/h."},
		{"The pressure must be ≥ 5 bar.", "The pressure must be >= 5 bar."},
		{"The vault is kept at −20 °C.", "The vault is kept at minus 20 °C."},
		{"The cake needs ½ cup of oil.", "The cake needs half a cup of oil."},
		{"See chapter Ⅳ of the guide.", "See chapter IV of the guide."},
		{"Her blood group is AB−.", "Her blood group is AB negative."},
		{"Her blood group is O+.", "Her blood group is O positive."},
		{"It is true that a negative result is common.", "A negative result is common."},
		{"The date of the bone is known by C-14.", "The date of the bone is known by C14."},
		{"The fund has 3,5 million euros.", "The fund has 3.5 million euros."},
		{"The slope is 8%.", "The slope is 8 percent."},
		{"The slope is 8%.", "The slope is 8 per cent."},
		{"✔ Keep the lid closed.", "Keep the lid closed."},
		{"Keep the lid closed 👍", "Keep the lid closed."},
		{"The Lumo™ lamp is dimmable.", "The Lumo lamp is dimmable."},
		{"The road is closed on the A9 at noon.", "A road is closed on the A9 at noon."},
	})
}

func TestOperatorsAndMarks(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{ // each is supported by itself only
		{"The law holds for ¬P only.", "The law holds for P only."},
		{"Pass !dry to the tool.", "Pass dry to the tool."},
	} {
		testSupport(t, true, [][2]string{{c[0], c[0]}, {c[1], c[1]}, {"Duo. " + c[0] + " More follows.", c[0]}})
		testSupport(t, false, [][2]string{{c[0], c[1]}, {c[1], c[0]}})
	}
	testSupport(t, true, [][2]string{ // typography without meaning
		{"The *yield* – a guess – is low.", "The yield - a guess - is low."},
		{"* The yield is low.", "- The yield is low."},
		{"• The yield is low.", "✓ The yield is low."},
		{"Open Tools - Export to start.", "Open Tools / Export to start."},
		{"The yield and/or mass is low.", "The yield and-or mass is low."},
		{"Export in the Uno plan: ❌, export in the Duo plan: ✅", "Export in the Duo plan: ✅"},
		{"The law holds for ¬P and for P.", "The law holds for P."},
	})
}

func TestLimitsMustBeStated(t *testing.T) {
	t.Parallel()
	testSupport(t, false, [][2]string{
		{"Take 1 or 2 capsules every 8 hours. Do not take more than 6 capsules a day.", "You may take up to 20 capsules a day."},
		{"The fine is between 100 and 1,000 euros.", "The fine is up to 9 million euros."},
		{"Members can borrow 5 books at a time.", "Members can borrow a maximum of 50 books."},
		{"The crash injured 12 people.", "At least 40 people were injured in the crash."},
		{"The night tariff for small homes is 12 cents.", "The tariff is below 12 cents."},
		{"The annual rent of the hall is 90 euros.", "The monthly rent of the hall is 90 euros."},
	})
	testSupport(t, true, [][2]string{
		{"Take 1 or 2 capsules every 8 hours. Do not take more than 6 capsules a day.", "You may take up to 6 capsules a day."},
		{"The fine is between 100 and 1,000 euros.", "The fine is up to 1,000 euros."},
		{"Members can borrow 5 books at a time.", "Members can borrow up to 5 books at a time."},
		{"The crash injured 12 people.", "At least 10 people were injured in the crash."},
		{"The crash injured 12 people.", "At least 3 people were injured in the crash."},
	})
}

func TestNegationsInAnySpelling(t *testing.T) {
	t.Parallel()
	const context = "The vaccine is stored in the fridge."
	for _, not := range []string{"isn't", "isn’t", "isnʼt", "isn`t", "isn´t", "isn＇t", "isn‘t", "isn′t", "isn՚t", "isnꞌt", "isn\u200b't", "isnt", "is n't", "is nоt", "is nσt", "is n0t", "is nеver"} {
		claim := "The vaccine " + not + " stored in the fridge."
		testSupport(t, false, [][2]string{{context, claim}, {claim, context}})
		testSupport(t, true, [][2]string{{claim, claim}, {"The vaccine isn't stored in the fridge.", "The vaccine isnt stored in the fridge."}})
	}
	testSupport(t, false, [][2]string{
		{"The night tariff for small homes is 12 cents.", "The tariff is not 12 cents."},
		{"The night tariff for small homes is 12 cents.", "The tariff is anything but 12 cents."},
		{"The night tariff for small homes is 12 cents.", "The tariff is far from 12 cents."},
		{"The tariff is not 12 cents.", "The tariff is 12 cents."},
		{"The largest plant of the group is in Lyon.", "The plant is not in Lyon."},
		{"The capital is Quito.", "The capital is other than Quito."},
	})
	testSupport(t, true, [][2]string{{"The tariff is not 12 cents.", "The tariff is not 12 cents."}})
}

func TestReasonQuotesContextAsWritten(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ context, claim, want string }{
		{"The lock opens if a != b. It is old.", "The lock opens if a = b.", "“The lock opens if a != b.”"},
		{"Data flow in --> out here. It is old.", "Data flow in or out here.", "“Data flow in --> out here.”"},
		{"The **lock** is at −5 °C. It is old.", "The lock is at −7 °C.", "“The lock is at -5 °C.”"}, // without markup
	} {
		if v := judgeMarkup(t, c.context, c.claim); !strings.Contains(v.Reason, c.want) {
			t.Errorf("%q: got reason %s, want %s in it", c.context, v.Reason, c.want)
		}
	}
}
