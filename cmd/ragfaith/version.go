package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return printVersion(cmd) },
	}
}

func printVersion(cmd *cobra.Command) error {
	_, err := fmt.Fprintln(cmd.OutOrStdout(), version())
	return err
}

// release is the number of a release, such as 1.2.3, which the linker sets:
// -ldflags "-X main.release=1.2.3".
//
//nolint:gochecknoglobals // only global variables can be set by the linker
var release string

// version describes the build: the release, or the version that the Go toolchain derived from
// the commit, and the Go release and platform.
func version() string {
	number := release
	if info, ok := debug.ReadBuildInfo(); ok && number == "" {
		number = strings.TrimPrefix(info.Main.Version, "v")
	}
	return fmt.Sprintf("ragfaith %s (%s, %s/%s)", cmp.Or(number, "unknown"), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// commitTime returns the time of the commit of this build, or the Unix epoch if unknown.
func commitTime() time.Time {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if t, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil {
				return t
			}
		}
	}
	return time.Unix(0, 0).UTC()
}

// newMan returns a command for packagers.
func newMan() *cobra.Command {
	return &cobra.Command{
		Use:               "man DIR",
		Short:             "Write a manual page for each command",
		Hidden:            true,
		Args:              argCount(1, 1, "one DIR"),
		PersistentPreRunE: markParsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			cmd.Root().DisableAutoGenTag = true
			for _, c := range documentedCommands(cmd.Root()) {
				path := filepath.Join(args[0], strings.ReplaceAll(c.CommandPath(), " ", "-")+".1")
				page, err := manPage(c)
				if err != nil {
					return err
				}
				if err := safefile.WriteFile(path, page, 0o644); err != nil {
					return err
				}
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), path); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// manPage returns the page of a command, with the date of the commit, to be reproducible.
func manPage(cmd *cobra.Command) ([]byte, error) {
	if notes := cmd.Annotations[notesKey]; notes != "" {
		cmd.Long += "\n\n" + notes
	}
	date := commitTime()
	var b bytes.Buffer
	err := doc.GenMan(cmd, &doc.GenManHeader{Section: "1", Date: &date, Source: "ragfaith", Manual: "ragfaith manual"}, &b)
	return b.Bytes(), err
}
