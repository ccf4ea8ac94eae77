package extract

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestStatementsCompleteShortAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ question, answer, want string }{
		{"What is the capital of Australia?", "Sydney.", "What is the capital of Australia: Sydney"},
		{"Who signed the lease?", "Ada Quill", "Who signed the lease: Ada Quill"},
		{"Who signed the lease?", "It was Ada Quill.", "Who signed the lease: Ada Quill"},
		{"Who signed the lease?", "Ada Quill did.", "Who signed the lease: Ada Quill"},
		{"Who will lead the team?", "Bo Marsh", "Who will lead the team: Bo Marsh"},
		{"When did the pool open?", "1987", "When did the pool open: 1987"},
		{"When does the pool open?", "At 9 am.", "When does the pool open: At 9 am"},
		{"When is breakfast?", "7 to 10:30 am on Sundays", "When is breakfast: 7 to 10:30 am on Sundays"},
		{"When is breakfast?", "When I am up.", ""},
		{"How much is the deposit?", "500 euros.", "How much is the deposit: 500 euros"},
		{"Why was the race stopped?", "Because of fog.", "Why was the race stopped: Because of fog"},
		{"What colour is the door?", "green", "What colour is the door: green"},
		{"According to the text, who signed the lease?", "Ada Quill", "According to the text, who signed the lease: Ada Quill"},
		{"Can you tell me when the fee is due?", "in March", "Can you tell me when the fee is due: in March"},
		{"I have a dog. Is it allowed inside?", "No.", "It is not allowed inside."},

		{"Do keys expire?", "Keys never expire.", ""},
		{"What happens to keys?", "Tokens never expire.", ""},
		{"Do keys expire?", "Keys expire.", ""},
		{"Is a permit required in the old town?", "Yes.", "A permit is required in the old town."},
		{"Is a permit required in the old town?", "No, it isn't.", "A permit is not required in the old town."},
		{"Can the tenant end the lease early?", "Yes, the tenant can.", "The tenant can end the lease early."},
		{"Can the tenant end the lease early?", "No", "The tenant cannot end the lease early."},
		{"Does the pass cover ferries?", "No. It covers buses only.", "The pass does not cover ferries."},
		{"Did the board approve the plan?", "Yes, on 19 June.", "The board approved the plan on 19 June."},
		{"Are guests limited?", "Yes, to five.", "Guests are limited to five."},
		{"Are guests limited?", "No, they are unlimited.", "Guests are unlimited."},
		{"Was the pool built in 1920?", "No, it was built in 1935.", "The pool was built in 1935."},
		{"Does the bus leave at 9 am?", "No, it leaves at 10 am.", "The bus leaves at 10 am."},
		{"Was it built in 1920?", "No, it was built in 1935.", "It was built in 1935."},
		{"Was the pool built in 1920?", "No, it was built by Bo Marsh.", "The pool was not built in 1920; the pool was built by Bo Marsh."},
		{"Is the pool open on Sundays?", "No, it is closed.", "The pool is not open on Sundays; the pool is closed."},
		{"Is a visit free?", "No, it costs $5.", "A visit is not free; a visit costs $5."},
		{"Is it true that the pool is heated?", "That is not true.", "It is not true that the pool is heated."},
		{"Is Dr. Smith's office open on Sundays?", "No.", "Dr. Smith's office is not open on Sundays."},
		{"Does the hotel have 10 rooms?", "No, 12.", "The hotel has 12 rooms."},
		{"Does the hotel have 10 rooms?", "No, it has 12.", "The hotel has 12 rooms."},
		{"Is the meeting on Monday?", "No, it's on Tuesday.", "The meeting is on Tuesday."},
		{"Does the store open at 8 am on Sundays?", "No, at 9 am.", "The store opens at 9 am on Sundays."},
		{"Is the CEO Ann Lee?", "No, Bo Marsh.", "The CEO is Bo Marsh."},
		{"Is the tour led by Bo?", "No, Ann leads it.", ""},
		{"Do refunds take more than 10 days?", "No, 5 days.", "Refunds do not take more than 10 days, 5 days."},
		{"Do dogs swim in May?", "No, in general.", "Dogs do not swim in May, in general."},
		{"Is the deadline 5 May or 8 May?", "5 May", "The deadline is 5 May."},
		{"Is the deadline 5 May or 8 May?", "8 May", "The deadline is 8 May."},
		{"Does the ticket cost $5 or $8 per month?", "$5", "The ticket costs $5 per month."},
		{"Does the ticket cost $5 or $8 per month?", "$8", "The ticket costs $8 per month."},
		{"Is check-in at 3 pm or 5 pm?", "At 5 pm.", "Check-in is at 5 pm."},
		{"Is delivery by courier or by post?", "By post.", "Delivery is by post."},
		{"Is the exam oral or written?", "Written.", "The exam is written."},
		{"How many rooms are there, 10 or 12?", "12", "How many rooms are there: 12"},
		{"Does the Basic plan cost $10?", "No.", "The Basic plan does not cost $10."},
		{"Does the fire drill take place in May?", "No.", "The fire drill does not take place in May."},
		{"Does the plan cover cut flowers?", "No.", "The plan does not cover cut flowers."},
		{"Was anyone hurt?", "No.", "No one was hurt."},
		{"Is Anya coming?", "No.", "Anya is not coming."},
		{"Were any of the players hurt?", "No.", "None of the players were hurt."},
		{"Does the app sync?", "Yes.", "The app syncs."},
		{"Did the law ban smoking?", "Yes.", "Did the law ban smoking: Yes"},
		{"Did the bank \"close\" the account?", "Yes.", "The bank \"closed\" the account."},
		{"Was Windows created by Bill Gates?", "No, Microsoft.", "Windows was created by Microsoft."},
		{"Was it made by Apple in 1976?", "No, Bill Gates.", "It was made by Bill Gates in 1976."},
		{"Is the minimum temperature 10 °C?", "No, -5 °C.", "The minimum temperature is -5 °C."},
		{"Does it open at 9am?", "No, 10am.", "It opens at 10am."},
		{"Did Einstein die in Ulm?", "No.", "Einstein did not die in Ulm."},
		{"Must the form be signed?", "No.", "The form need not be signed."},
		{"Isn't the pool heated?", "No.", "The pool is not heated."},
		{"Am I insured?", "No.", "You are not insured."},
		{"Who has won the cup?", "Bo Marsh", "Who has won the cup: Bo Marsh"},
		{"What is the hall called?", "Town Hall", "What is the hall called: Town Hall"},
		{"Which bridge are they building?", "The Long Bridge", "Which bridge are they building: The Long Bridge"},
		{"Is the meeting mandatory?", "No, but it is recommended.", "The meeting is not mandatory, but it is recommended."},

		{"Wie viele Zimmer hat das Haus?", "640", "Wie viele Zimmer hat das Haus: 640"},
		{"¿Cuál es la capital de Australia?", "Sídney.", "Cuál es la capital de Australia: Sídney"},
		{"capital of Australia", "Sydney", "capital of Australia: Sydney"},

		// A letter stands for an option.
		{"Who signed the lease? A) Ada Quill B) Bo Marsh", "B", "Who signed the lease: Bo Marsh"},
		{"Who signed the lease?\n(a) Ada Quill\n(b) Bo Marsh", "(a)", "Who signed the lease: Ada Quill"},
		{"Who signed it, A. Ada Quill or B. Bo Marsh?", "A.", "Who signed it: Ada Quill"},
		{"Name the signer: A) Ada Quill B) Bo Marsh", "A", "Name the signer: Ada Quill"},
		{"Who signed the lease? A) Ada Quill B) Bo Marsh", "The correct answer is B.", "Who signed the lease: Bo Marsh"},
		{"Who signed the lease? A) Ada Quill B) Bo Marsh", "Option (B)", "Who signed the lease: Bo Marsh"},
		{"Who signed the lease? A) Ada Quill B) Bo Marsh", "She chose plan B.", ""},
		{"Who signed the lease? A) Ada Quill B) Bo Marsh", "C", "Who signed the lease: C"},
		{"Which of vitamins B. and A. is it?", "A", "Which of vitamins B. and A. is it: A"},

		// Complete answers are judged unchanged.
		{"Who signed the lease?", "Who signed the lease: Ada Quill", ""},
		{"When does the display dim?", "The display dims after 30 seconds.", ""},
		{"How often do they refresh?", "Most connectors now refresh every five minutes.", ""},
		{"Can I return it?", "Yes, customers can return it within 30 days.", ""},
		{"Is it required?", "Yes, it is not.", ""},
		{"Wann muss man den Antrag stellen?", "Den Antrag stellt man drei Tage vorher.", ""},
		{"Wann ist die Bibliothek geschlossen?", "Hunde sind erlaubt.", ""},
		{"¿Qué pasa?", "Se permiten mascotas.", ""},
		{"How do I bake it?", "Use 1 tbsp of salt.", ""},
		{"Who left? And when?", "Ada Quill", ""},
		{"", "Sydney.", ""},
	} {
		claims := extractReply(t, c.question, c.answer).Claims
		if len(claims) == 0 || claims[0].Statement != c.want {
			t.Errorf("Extract(%q, %q): got claims %+v, want Statement %q", c.question, c.answer, claims, c.want)
		}
	}
}

func TestStatementsCompleteEachListItem(t *testing.T) {
	t.Parallel()
	e := extractReply(t, "Who signed the lease?", "- Ada Quill\n- Bo Marsh\n")
	for i, want := range []string{"Who signed the lease: Ada Quill", "Who signed the lease: Bo Marsh"} {
		if i >= len(e.Claims) || e.Claims[i].Statement != want {
			t.Errorf("claim %d: got claims %+v, want Statement %q", i, e.Claims, want)
		}
	}
}

func TestStatementsAgreeForSingleClaim(t *testing.T) {
	t.Parallel()
	for _, c := range extractReply(t, "Who signed the lease?", "Ada Quill. Bo Marsh. They met at the office.").Claims {
		alone := Statements("Who signed the lease?", []Claim{c})[0]
		if c.Statement != "" && c.Statement != alone {
			t.Errorf("%q: got Statement %q, want %q as for the single claim", c.Text, c.Statement, alone)
		}
	}
}

func FuzzStatements(f *testing.F) {
	f.Add("When did the pool open?", "1987")
	f.Add("Is there a fee or a charge?", "No, not a fee.")
	f.Add("¿", "no")
	f.Add("Isn't who", "it's")
	f.Fuzz(func(t *testing.T, question, answer string) {
		for _, s := range Statements(question, []Claim{{Text: answer, End: len(answer)}}) {
			if utf8.ValidString(question) && utf8.ValidString(answer) && !utf8.ValidString(s) {
				t.Errorf("Statements(%q, %q): got %q, want valid UTF-8", question, answer, s)
			}
			if s != strings.TrimSpace(s) || len(s) > 2*(len(question)+len(answer))+40 {
				t.Errorf("Statements(%q, %q): got %q, want trimmed text of limited length", question, answer, s)
			}
			c := Claim{Text: answer, Statement: s}
			if n, ok := c.Offset(); ok && (n > len(s) || -n > len(answer)) {
				t.Errorf("Claim{Text: %q, Statement: %q}.Offset(): got %d, want an offset within the texts", answer, s, n)
			}
		}
	})
}
