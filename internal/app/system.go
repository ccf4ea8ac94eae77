package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ragfaith/ragfaith/internal/encoder/hub"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/llm"
)

// A System is the environment of a run: variables, clock, cache directory and local model
// servers. Tests replace it.
type System struct {
	LookupEnv func(name string) (string, bool)
	Clock     llm.Clock
	CacheDir  func() (string, error) // the user's cache directory; may be nil
	// FindServers returns the servers that run on this machine; may be nil.
	FindServers func(ctx context.Context) []llm.FoundServer
}

// Getenv returns the value of an environment variable, or "" if it is not set.
func (sys *System) Getenv(name string) string {
	value, _ := sys.LookupEnv(name)
	return value
}

// ModelStore returns the local model store: dir or, if it is empty, the Hugging Face cache.
func (sys *System) ModelStore(dir string) (hub.Store, error) {
	userCache := ""
	if sys.CacheDir != nil {
		userCache, _ = sys.CacheDir() // "" if it is unknown
	}
	return hub.Environment(sys.Getenv).Store(dir, userCache)
}

// ReplyCache returns the directory of the reply cache: dir, or the default if it is empty.
func (sys *System) ReplyCache(dir string) (string, error) {
	if dir != "" {
		return dir, nil
	}
	if sys.CacheDir == nil {
		return "", errors.New("no user cache directory: use --cache DIR or --no-cache")
	}
	dir, err := sys.CacheDir()
	if err != nil {
		return "", fmt.Errorf("%w: use --cache DIR or --no-cache", err)
	}
	return filepath.Join(dir, "ragfaith"), nil
}

// key returns the API key stored in the environment variable that a flag names.
func (sys *System) key(flag, variable string, required bool) (string, error) {
	if variable == "" {
		return "", nil
	}
	key := strings.TrimSpace(sys.Getenv(variable))
	if key == "" && required {
		return "", exit.Usagef("--%s: %s is not set in the environment", flag, variable)
	}
	return key, nil
}

// BestJudge returns the value of --judge for the best judge that can be used without any
// preparation and costs nothing, and why: a server on this machine, a downloaded model, or
// embedded. Servers are only asked for the names of their models; errors are ignored.
func BestJudge(ctx context.Context, o *Options, sys *System) (name, why string) {
	if sys.FindServers != nil {
		for _, f := range sys.FindServers(ctx) {
			if f.Model != "" {
				return f.Judge(), f.Title + " is running at " + f.URL
			}
		}
	}
	if store, err := sys.ModelStore(o.Local.Models); err == nil {
		for _, n := range hub.Names() { // best first
			if n.Card.Accuracy == "" {
				continue
			}
			if _, err := store.Lookup(n); err == nil {
				return n.Short, "it is downloaded; published accuracy: " + n.Card.Accuracy
			}
		}
	}
	why = "no model server is running, and no judge is downloaded"
	if strings.TrimSpace(sys.Getenv(o.LLM.KeyVariable)) != "" {
		why += "; --judge llm can use " + o.LLM.KeyVariable + ", but costs money"
	}
	return JudgeEmbedded, why
}
