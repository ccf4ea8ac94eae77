package browsertest

import (
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strings"
	"testing"
)

// CheckPolicy checks that the Content-Security-Policy of a page, given as HTML, allows only
// its script and its style, by hash. It needs no browser.
func CheckPolicy(t testing.TB, page string) {
	t.Helper()
	match := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if match == nil {
		t.Fatal("page has no policy")
	}
	policy := strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(match[1])
	for name, element := range map[string]string{"script-src": `(?s)<script type="module">(.*?)</script>`, "style-src": `(?s)<style>(.*?)</style>`} {
		found := regexp.MustCompile(element).FindAllStringSubmatch(page, -1)
		if len(found) != 1 {
			t.Fatalf("got %d matches of %s, want 1", len(found), element)
		}
		sum := sha256.Sum256([]byte(found[0][1]))
		if want := name + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';"; !strings.Contains(policy, want) {
			t.Errorf("got policy %q, want it to contain %q", policy, want)
		}
	}
	const rest = "; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
	if !strings.HasPrefix(policy, "default-src 'none'; ") || !strings.HasSuffix(policy, rest) || strings.Contains(policy, "unsafe") {
		t.Errorf("got policy %q, want only the hashes and %q", policy, rest)
	}
}
