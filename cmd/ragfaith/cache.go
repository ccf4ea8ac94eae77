package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/llm"
)

func cacheFlag(to *string) flagSpec {
	return flagSpec{"cache", "DIR", to, "reply cache directory (default: the user's cache directory)"}
}

func newCacheStats(sys system) *cobra.Command {
	return cacheCommand(sys, &cobra.Command{Use: "stats", Short: "Show the size of the cache"}, func(ctx context.Context, cache *llm.Cache) (string, error) {
		s, err := cache.Stats(ctx)
		oldest := "-"
		if !s.Oldest.IsZero() {
			oldest = s.Oldest.UTC().Format(time.DateTime) + " UTC"
		}
		return fmt.Sprintf("file     %s\nreplies  %d\nothers   %d\nbytes    %d\noldest   %s\n", s.Path, s.Replies, s.Items, s.Bytes, oldest), err
	})
}

func newCacheClear(sys system) *cobra.Command {
	var age time.Duration
	cmd := &cobra.Command{Use: "clear", Short: "Remove cached replies", Example: "  ragfaith cache clear --older-than 720h"}
	return cacheCommand(sys, cmd, func(ctx context.Context, cache *llm.Cache) (string, error) {
		n, err := cache.Clear(ctx, age)
		return fmt.Sprintf("removed %d entries\n", n), err
	}, flagSpec{"older-than", "DURATION", flagvalue.Duration(&age, 0, 0), "remove only older entries, such as 720h"})
}

// cacheCommand completes a command that prints what run returns for an existing cache.
func cacheCommand(sys system, cmd *cobra.Command, run func(context.Context, *llm.Cache) (string, error), flags ...flagSpec) *cobra.Command {
	var dir string
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cache, err := openCache(cmd, dir, sys)
		if cache == nil || err != nil {
			return err
		}
		defer cache.Close()
		text, err := run(cmd.Context(), cache)
		if err != nil {
			return err
		}
		_, err = io.WriteString(cmd.OutOrStdout(), text)
		return err
	}
	addFlags(cmd, flagGroup{defaultGroup, append([]flagSpec{cacheFlag(&dir)}, flags...)})
	return cmd
}

// openCache opens an existing cache. Without one it prints a message and returns nil.
func openCache(cmd *cobra.Command, dir string, sys system) (*llm.Cache, error) {
	dir, err := sys.ReplyCache(dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, llm.CacheFile)); errors.Is(err, fs.ErrNotExist) {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "no cache in %s\n", dir)
		return nil, err
	}
	// The commands return read errors themselves, so the warnings are dropped.
	return llm.OpenCache(cmd.Context(), dir, sys.Clock, func(error) {}), nil
}
