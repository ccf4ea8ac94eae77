package hub

import "testing"

func TestIdentify(t *testing.T) {
	for dir, want := range map[string]string{
		"/models/minicheck-roberta-large":                                                                   "minicheck-roberta-large",
		"/models/MiniCheck-RoBERTa-Large/":                                                                  "minicheck-roberta-large",
		"/models/lytang--MiniCheck-RoBERTa-Large/0123456789abcdef0123456789abcdef01234567":                  "minicheck-roberta-large",
		"/hub/models--yaxili96--FactCG-DeBERTa-v3-Large/snapshots/0123456789abcdef0123456789abcdef01234567": "factcg-deberta-v3-large",
		"/models/minicheck":              "",
		"/minicheck-roberta-large/a/b/c": "",
		"/":                              "",
	} {
		if got, ok := Identify(dir); got.Short != want || ok != (want != "") {
			t.Errorf("%s: got %q, %t, want %q", dir, got.Short, ok, want)
		}
	}
}
