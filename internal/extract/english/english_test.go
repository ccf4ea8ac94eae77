package english

import "testing"

func TestParseQuestion(t *testing.T) {
	for _, tt := range []struct {
		text                      string
		before, wh, subject, rest string
	}{
		{"When did the pool open", "", "when", "", "the pool open"},
		{"In May 2021, who left", "In May 2021,", "who", "", "left"},
		{"How tall is the mast", "", "how", "", "tall the mast"},
		{"Can the tenant end the lease early", "", "", "the tenant", "end the lease early"},
		{"Is the warranty 3 years", "", "", "the warranty", "3 years"},
		{"Is the trail 12 km long", "", "", "the trail", "12 km long"},
		{"Is the deadline May 5", "", "", "the deadline", "May 5"},
		{"Is the price $5 per month", "", "", "the price", "$5 per month"},
		{"Is the CEO Ann Lee", "", "", "the CEO", "Ann Lee"},
		{"Was Einstein born in Ulm", "", "", "Einstein", "born in Ulm"},
		{"Is Terminal 5 in London", "", "", "Terminal 5", "in London"},
		{"Is the pool on floor 3", "", "", "the pool", "on floor 3"},
		{"Is room 12 free", "", "", "room 12", "free"},
		{"Are the first 3 months free", "", "", "the first 3 months", "free"},
		{"Are the rooms on the second floor quiet", "", "", "the rooms on the second floor", "quiet"},
		{"Is the exam oral or written", "", "", "the exam", "oral or written"},
	} {
		q := ParseQuestion(tt.text)
		if q == nil {
			t.Errorf("ParseQuestion(%q): got nil, want a question", tt.text)
			continue
		}
		got := [...]string{Join(q.Before), q.Wh, Join(q.Subject), Join(q.Rest)}
		if want := [...]string{tt.before, tt.wh, tt.subject, tt.rest}; got != want {
			t.Errorf("ParseQuestion(%q): got %q, want %q", tt.text, got, want)
		}
	}
	for _, text := range []string{"", "Wann muss man zahlen", "Did you know they won", "Capital of France", "Dogs are allowed"} {
		if q := ParseQuestion(text); q != nil {
			t.Errorf("ParseQuestion(%q): got %+v, want nil", text, *q)
		}
	}
}

func TestYesOrNo(t *testing.T) {
	for _, tt := range []struct {
		text    string
		yes, ok bool
	}{
		{"Yes.", true, true},
		{"No, it does not.", false, true},
		{"Of course not.", false, true},
		{"That's correct: it does.", true, true},
		{"Oui", true, true},
		{"是的。", true, true},
		{"No. 12 is red.", false, false},
		{"Nobody came.", false, false},
		{"No one came.", false, false},
		{"", false, false},
	} {
		if yes, ok := YesOrNo(tt.text); yes != tt.yes || ok != tt.ok {
			t.Errorf("YesOrNo(%q): got %t, %t, want %t, %t", tt.text, yes, ok, tt.yes, tt.ok)
		}
	}
}

func TestPastTense(t *testing.T) {
	for base, want := range map[string]string{
		"open": "opened", "close": "closed", "carry": "carried", "play": "played", "stop": "stopped", "permit": "permitted", "take": "took", "cut": "cut",
	} {
		if got := PastTense(base); got != want {
			t.Errorf("PastTense(%q): got %q, want %q", base, got, want)
		}
		if !IsVerb(want, PastForm) {
			t.Errorf("IsVerb(%q, PastForm): got false, want true", want)
		}
	}
}
