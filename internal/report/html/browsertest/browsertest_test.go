package browsertest

import "testing"

func TestNewestComparesVersions(t *testing.T) {
	paths := []string{"a/axe-core-4.10.3/axe.min.js", "a/axe-core-4.14.0/axe.min.js", "a/axe-core-4.9.1/axe.min.js"}
	if got, want := newest(paths), paths[1]; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestQuoteIsJavaScript(t *testing.T) {
	for s, want := range map[string]string{`[name="a"]`: `"[name=\"a\"]"`, "\a\U0001F600": "\"\\u0007\U0001F600\"", "\u2028": `"\u2028"`} {
		if got := quote(s); got != want {
			t.Errorf("%q: got %s, want %s", s, got, want)
		}
	}
}

type recorder struct {
	testing.TB
	failed bool
}

func (*recorder) Helper()                 {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }

func TestCheckPolicyIsExact(t *testing.T) {
	page := func(rest string) string {
		return `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-` + hash("s") + `'; style-src 'sha256-` + hash("c") + `'` + rest +
			`; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"><script type="module">s</script><style>c</style>`
	}
	for rest, want := range map[string]bool{"": false, "; img-src *": true, " https:": true} {
		r := &recorder{TB: t}
		CheckPolicy(r, page(rest))
		if r.failed != want {
			t.Errorf("policy with %q: got failed %t, want %t", rest, r.failed, want)
		}
	}
}
