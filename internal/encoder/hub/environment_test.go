package hub

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHuggingFacePaths(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	loginFile := filepath.Join(home, ".cache", "huggingface", "token")
	otherFile := filepath.Join(home, "other")
	if err := errors.Join(
		os.MkdirAll(filepath.Dir(loginFile), 0o700),
		os.WriteFile(loginFile, []byte("hf_login\n"), 0o600),
		os.WriteFile(otherFile, []byte(" hf_other \n"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	none := filepath.Join(home, "none")
	for _, tt := range []struct {
		env                map[string]string
		cache, token, from string
	}{
		{map[string]string{}, "", "", ""},
		{map[string]string{"HOME": home}, home + "/.cache/huggingface/hub", "hf_login", loginFile},
		{map[string]string{"HOME": home, "XDG_CACHE_HOME": "/x"}, "/x/huggingface/hub", "", ""},
		{map[string]string{"HOME": home, "XDG_CACHE_HOME": "~/.cache"}, home + "/.cache/huggingface/hub", "hf_login", loginFile},
		{map[string]string{"HOME": home, "HF_HOME": "/h"}, "/h/hub", "", ""},
		{map[string]string{"HOME": home, "HF_HOME": "~/.cache/huggingface"}, home + "/.cache/huggingface/hub", "hf_login", loginFile},
		{map[string]string{"HOME": home, "HF_HOME": "/h", "HF_HUB_CACHE": "/c"}, "/c", "", ""},
		{map[string]string{"HF_HUB_CACHE": "/c", "HF_TOKEN": " hf_env\n"}, "/c", "hf_env", "HF_TOKEN"},
		{map[string]string{"HF_HUB_CACHE": "/c", "HF_TOKEN_PATH": otherFile}, "/c", "hf_other", otherFile},
		{map[string]string{"HF_HUB_CACHE": "/c", "HF_TOKEN_PATH": none}, "/c", "", ""},
		{map[string]string{"HF_HUB_CACHE": "/c", "HOME": home, "HF_HUB_DISABLE_IMPLICIT_TOKEN": "yes"}, "/c", "", ""},
		{map[string]string{"HF_HUB_CACHE": "/c", "HF_TOKEN": "hf_env", "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1"}, "/c", "", ""},
		{map[string]string{"HF_HUB_CACHE": "/c", "HF_TOKEN": "hf_env", "HF_HUB_DISABLE_IMPLICIT_TOKEN": "0"}, "/c", "hf_env", "HF_TOKEN"},
	} {
		env := Environment(func(name string) string { return tt.env[name] })
		token, from, err := env.Token()
		if cache := filepath.ToSlash(env.cache()); cache != filepath.ToSlash(tt.cache) || token != tt.token || from != tt.from || err != nil {
			t.Errorf("%v: got %s and %q from %q, error %v; want %s and %q from %q", tt.env, cache, token, from, err, tt.cache, tt.token, tt.from)
		}
	}
	env := Environment(func(name string) string { return map[string]string{"HF_TOKEN_PATH": home}[name] })
	if _, _, err := env.Token(); err == nil || !strings.HasPrefix(err.Error(), "HF_TOKEN_PATH: ") {
		t.Errorf("a directory: got error %v, want one about HF_TOKEN_PATH", err)
	}
}
