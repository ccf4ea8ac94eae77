package html

import (
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strings"
	"testing"
)

// checkPolicy checks that the Content-Security-Policy of a page, given as HTML, allows only
// its script and its style, by hash. It needs no browser.
func checkPolicy(t testing.TB, page string) {
	t.Helper()
	match := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if match == nil {
		t.Fatal("page has no policy")
	}
	policy := strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(match[1])
	want := "default-src 'none'; script-src 'sha256-" + hash(only(t, page, `(?s)<script type="module">(.*?)</script>`)) +
		"'; style-src 'sha256-" + hash(only(t, page, `(?s)<style>(.*?)</style>`)) +
		"'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
	if policy != want {
		t.Errorf("got policy %q, want %q", policy, want)
	}
}

// checkContains checks that a page contains some texts.
func checkContains(t testing.TB, page string, texts ...string) {
	t.Helper()
	for _, want := range texts {
		if !strings.Contains(page, want) {
			t.Errorf("page does not contain %q", want)
		}
	}
}

// only returns the content of the only element that matches a pattern.
func only(t testing.TB, page, pattern string) string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindAllStringSubmatch(page, -1)
	if len(found) != 1 {
		t.Fatalf("got %d matches of %s, want 1", len(found), pattern)
	}
	return found[0][1]
}

// hash returns the hash of an inline element.
func hash(content string) string {
	sum := sha256.Sum256([]byte(content))
	return base64.StdEncoding.EncodeToString(sum[:])
}
