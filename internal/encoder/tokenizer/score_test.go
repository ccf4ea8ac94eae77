package tokenizer

import "testing"

// The expected values come from to_str of the reference after loading.
func TestParseScoreRoundsLikeReference(t *testing.T) {
	for in, want := range map[string]float64{
		"-2.0122928619384766":                    -2.012292861938477,
		"-3.9598512649536133":                    -3.9598512649536137,
		"-3.1958454811081527":                    -3.1958454811081527,
		"0":                                      0,
		"-7":                                     -7,
		"1e3":                                    1000,
		"12.5E-1":                                1.25,
		"0.1":                                    0.1,
		"123456789012345678901234567890":         1.2345678901234568e29,
		"0.000000000000000000000000000000000001": 1e-36,
		"123456789.0123456789012345678":          123456789.01234567,
		"18446744073709551616.3":                 18446744073709551616,
		"4.9e-324":                               5e-324,
		"-1e-400":                                0,
	} {
		if got, err := parseScore(in); err != nil || got != want {
			t.Errorf("%s: got %v, %v, want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"1e309", "1e999999999999", "-1e400"} {
		if got, err := parseScore(in); err == nil {
			t.Errorf("parseScore(%s): got %v, want an error", in, got)
		}
	}
}
