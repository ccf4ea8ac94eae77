package hub

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestHuggingFacePaths(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	loginFile := filepath.Join(home, ".cache", "huggingface", "token")
	if err := errors.Join(
		os.MkdirAll(filepath.Dir(loginFile), 0o700),
		os.WriteFile(loginFile, []byte("hf_login\n"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		env          map[string]string
		cache, token string
	}{
		{map[string]string{}, "", ""},
		{map[string]string{"HOME": home}, home + "/.cache/huggingface/hub", "hf_login"},
		{map[string]string{"HOME": home, "XDG_CACHE_HOME": "/x"}, "/x/huggingface/hub", ""},
		{map[string]string{"HOME": home, "XDG_CACHE_HOME": "~/.cache"}, home + "/.cache/huggingface/hub", "hf_login"},
		{map[string]string{"HOME": home, "HF_HOME": "/h"}, "/h/hub", ""},
		{map[string]string{"HOME": home, "HF_HOME": "~/.cache/huggingface"}, home + "/.cache/huggingface/hub", "hf_login"},
		{map[string]string{"HOME": home, "HF_HOME": "/h", "HF_HUB_CACHE": "/c"}, "/c", ""},
		{map[string]string{"HF_HUB_CACHE": "/c", "HF_TOKEN": " hf_env\n"}, "/c", "hf_env"},
		{map[string]string{"HF_HUB_CACHE": "/c", "HOME": home, "HF_HUB_DISABLE_IMPLICIT_TOKEN": "yes"}, "/c", ""},
		{map[string]string{"HF_HUB_CACHE": "/c", "HF_TOKEN": "hf_env", "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1"}, "/c", ""},
		{map[string]string{"HF_HUB_CACHE": "/c", "HF_TOKEN": "hf_env", "HF_HUB_DISABLE_IMPLICIT_TOKEN": "0"}, "/c", "hf_env"},
	} {
		env := Environment(func(name string) string { return tt.env[name] })
		token := env.Token()
		if cache := filepath.ToSlash(env.cache()); cache != filepath.ToSlash(tt.cache) || token != tt.token {
			t.Errorf("%v: got %s and %q, want %s and %q", tt.env, cache, token, tt.cache, tt.token)
		}
	}
}
