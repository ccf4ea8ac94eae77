package flagvalue

import (
	"testing"
	"time"
)

// checkValue checks that v accepts and formats the texts of valid, and rejects those of
// invalid without a change.
func checkValue(t *testing.T, v *Value, valid map[string]string, invalid ...string) {
	t.Helper()
	for text, want := range valid {
		if err := v.Set(text); err != nil || v.String() != want {
			t.Errorf("%q: got %s and error %v, want %s", text, v, err, want)
		}
	}
	before := v.String()
	for _, text := range invalid {
		if err := v.Set(text); err == nil || v.String() != before {
			t.Errorf("%q: got %s and error %v, want %s and an error", text, v, err, before)
		}
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	var n int
	checkValue(t, Size(&n), map[string]string{"512b": "512B", "2KiB": "2.0KiB", "3 MiB": "3.0MiB", "2048": "2.0KiB", "1500000": "1500000B"}, "", "0", "-1", "k", "1X", "99999999999G")
	if err := Size(&n).Set("3MiB"); err != nil || n != 3<<20 {
		t.Errorf("got %d and error %v, want %d", n, err, 3<<20)
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	var n int
	checkValue(t, Int(&n, 7, 1), map[string]string{"1": "1", "12": "12"}, "", "0", "-1", "1.5", "x")
	var x *float64
	checkValue(t, Fraction(&x), map[string]string{"0": "0", "0.25": "0.25", "1": "1"}, "", "1.1", "-0.1", "NaN", "20%")
	var share *float64
	checkValue(t, Proportion(&share), map[string]string{"20%": "0.2", "0.2": "0.2", "12.5%": "0.125", "0": "0", "100%": "1", "1": "1"},
		"20", "101%", "-1%", "%", "", "a%", "NaN", "NaN%")
	var limit Limit
	checkValue(t, CountOrShare(&limit), map[string]string{"0": "0", "12": "12", "7%": "7%", "0.5%": "0.5%", "100%": "100%"},
		"", "-1", "0.5", "101%", "-1%", "%", "NaN%", "x")
	var rating *float64
	checkValue(t, Float(&rating), map[string]string{"4": "4", "-1.5": "-1.5"}, "", "Inf", "-Inf", "NaN", "x")
	var i, of int
	checkValue(t, Shard(&i, &of), map[string]string{"1/1": "1/1", "2/8": "2/8"}, "", "0/2", "3/2", "2", "a/b")
}

func TestOptionalValuesAreEmptyUntilSet(t *testing.T) {
	t.Parallel()
	var x *float64
	var both *[2]float64
	for _, v := range []*Value{Fraction(&x), Proportion(&x), Float(&x), Prices(&both)} {
		if v.String() != "" {
			t.Errorf("%s: got %q, want none", v.Type(), v)
		}
	}
}

func TestDuration(t *testing.T) {
	t.Parallel()
	var d time.Duration
	checkValue(t, Duration(&d, time.Minute, time.Millisecond),
		map[string]string{"1h": "1h0m0s", "90s": "1m30s", "500ms": "500ms"},
		"", "5", "0s", "-1s", "soon")
}

func TestAmounts(t *testing.T) {
	t.Parallel()
	var usd float64
	checkValue(t, Dollars(&usd), map[string]string{"$2.50": "2.5", "1": "1"}, "", "1,", "-1,2", "1,2,3", "NaN,1", "1,Inf", "a,b", "-1", "NaN", "Inf")
	var both *[2]float64
	checkValue(t, Prices(&both), map[string]string{"0.15, 0.60": "0.15,0.6"}, "", "1", "1,", "-1,2", "1,2,3", "NaN,1", "1,Inf", "a,b")
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	var lang string
	checkValue(t, Language(&lang, []string{"de"}), map[string]string{"de": "de", "de-AT": "de-AT", "DE_at": "DE_at", "x-claims": "x-claims", "": ""},
		"d e", "de;rm", "dé", "klingon", "deu", "en-DE")
}

func TestDelimiter(t *testing.T) {
	t.Parallel()
	var comma byte
	checkValue(t, Delimiter(&comma), map[string]string{";": ";", "|": "|", "tab": "tab", `\t`: "tab", "\t": "tab", "": ""}, "\"", "\n", ";;", "§", "comma")
}

func TestOneOf(t *testing.T) {
	t.Parallel()
	var word string
	v := OneOf(&word, "auto", "auto", "always", "never")
	checkValue(t, v, map[string]string{"never": "never", "always": "always"}, "", "alway", "AUTO")
	const want = `unknown "alway" (known: auto, always, never)`
	if err := v.Set("alway"); err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}
