package browsertest

import (
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strings"
	"testing"
)

// HasPolicy checks that the content security policy of a page, given as HTML, lets
// nothing but its one script and its one style be, by their hashes. It takes no
// browser.
func HasPolicy(t testing.TB, page string) {
	t.Helper()
	said := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if said == nil {
		t.Fatal("the page has no policy")
	}
	policy := strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(said[1])
	for name, element := range map[string]string{"script-src": `(?s)<script type="module">(.*?)</script>`, "style-src": `(?s)<style>(.*?)</style>`} {
		found := regexp.MustCompile(element).FindAllStringSubmatch(page, -1)
		if len(found) != 1 {
			t.Fatalf("%d of %s", len(found), element)
		}
		sum := sha256.Sum256([]byte(found[0][1]))
		if want := name + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';"; !strings.Contains(policy, want) {
			t.Errorf("%s is not in %s", want, policy)
		}
	}
	const rest = "; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
	if !strings.HasPrefix(policy, "default-src 'none'; ") || !strings.HasSuffix(policy, rest) || strings.Contains(policy, "unsafe") {
		t.Error(policy)
	}
}
