package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/config"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// harmless reports whether an untrusted config file may set a flag to its current value.
// Harmless values only change how rows are read, shown, gated and scored by the built-in
// judges. All other values may read or write files, load models, send requests, cost
// money or lift limits. Flags require trust unless their flagSpec lists harmless values.
func harmless(f *pflag.Flag) bool {
	values := annotation(f, untrustedKey)
	return values == anyValue || slices.Contains(strings.Fields(values), f.Value.String())
}

// needsTrust returns an error for each flag that an untrusted file may not set, followed
// by one that explains how to trust or ignore the file.
func needsTrust(f configFile, set []*pflag.Flag) []error {
	var errs []error
	for _, flag := range set {
		if origin := originOf(flag); origin.Untrusted {
			errs = append(errs, f.errorf(origin.Line, "%s: an untrusted config file can't set this", flag.Name))
		}
	}
	if errs != nil {
		errs = append(errs, fmt.Errorf("%s was found in this directory: read it, then run \"ragfaith config trust\", or use --config none to ignore it", f.Path))
	}
	return errs
}

// announce reports the options set by a discovered file on standard error, unless the
// user set --quiet. A file can't suppress the message by setting quiet itself.
func announce(cmd *cobra.Command, f configFile, set []*pflag.Flag) {
	if quiet := cmd.Flags().Lookup("quiet"); len(set) == 0 || quiet != nil && quiet.Value.String() == "true" && !slices.Contains(set, quiet) {
		return
	}
	const maxWidth = 200 // characters of each value
	var all []string
	for _, flag := range set {
		all = append(all, flag.Name+" "+report.Clip(valueText(shownValue(flag)), maxWidth))
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "ragfaith: %s sets %s\n", report.Printable(f.Path), strings.Join(all, ", "))
}

const configTrustLong = `Let a ragfaith.yaml that is found in the working directory or above it set every
option, as a file named by --config may. Until then it can't name files,
directories, models, servers or variables that hold keys.

Trust ends when the content of the file changes. It is recorded in the file
"trusted" beside your own ragfaith.yaml; remove the line there to end it sooner.`

func newConfigTrust(sys system) *cobra.Command {
	return &cobra.Command{
		Use:     "trust [FILE]",
		Short:   "Trust the config file of this repository",
		Long:    configTrustLong,
		Example: "  ragfaith config trust",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("want one FILE, got %d", len(args))
			}
			return nil
		},
		PersistentPreRunE: markParsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			path := projectFile(sys)
			if len(args) == 1 {
				path = args[0]
			}
			if path == "" {
				return fmt.Errorf("no %s here or above, up to the root of the repository", config.Name)
			}
			return trust(cmd, path, sys)
		},
	}
}

// trust records a config file as trusted and prints the options that it sets.
func trust(cmd *cobra.Command, path string, sys system) error {
	if err := checkDiscovered(path); err != nil {
		return err
	}
	file, err := readConfig(path)
	if err != nil {
		return err
	}
	f := configFile{File: file, discovered: true}
	if err := errors.Join(newCatalog(sys).check(f, sys)...); err != nil {
		return &usageError{err}
	}
	line, err := trustLine(file, sys)
	if err != nil {
		return err
	}
	store := trustStore(sys)
	if store == "" {
		return errors.New("no user config directory to record trust in")
	}
	if err := os.MkdirAll(filepath.Dir(store), 0o700); err != nil {
		return err
	}
	out, err := safefile.ReserveOutput(store)
	if err != nil {
		return err
	}
	defer out.Release()
	lines, err := safefile.ReadFile(store, config.MaxBytes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !slices.Contains(strings.Split(string(lines), "\n"), line) {
		if err := out.Open(""); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%s%s\n", lines, line); err != nil {
			_, abandonErr := out.Abandon(false)
			return errors.Join(err, abandonErr)
		}
		if err := out.Commit(); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "trusted %s, which sets %s\n", report.Printable(path), strings.Join(optionsOf(file.Entries), ", "))
	return err
}

// optionsOf returns the names of the options that a file sets, prefixed with their
// sections.
func optionsOf(entries []config.Entry) []string {
	var names []string
	for _, e := range entries {
		if e.Value.Shape == config.Mapping {
			for _, inner := range e.Value.Entries {
				names = append(names, e.Key+"."+inner.Key)
			}
			continue
		}
		names = append(names, e.Key)
	}
	return names
}

// isTrusted reports whether the user trusted this content at this path.
func isTrusted(f *config.File, sys system) bool {
	store := trustStore(sys)
	line, err := trustLine(f, sys)
	if store == "" || err != nil {
		return false
	}
	lines, err := safefile.ReadFile(store, config.MaxBytes)
	return err == nil && slices.Contains(strings.Split(string(lines), "\n"), line)
}

// trustStore returns the path of the trust store. It has one line per trusted file: the
// SHA-256 of its content, a space and its quoted absolute path. It returns "" without a
// user config directory.
func trustStore(sys system) string {
	if sys.ConfigDir == nil {
		return ""
	}
	dir, err := sys.ConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "ragfaith", "trusted")
}

// trustLine returns the line for a file in the trust store.
func trustLine(f *config.File, sys system) (string, error) {
	path := f.Path
	if !filepath.IsAbs(path) {
		if sys.WorkDir == nil {
			return "", errors.New("no working directory")
		}
		dir, err := sys.WorkDir()
		if err != nil {
			return "", err
		}
		path = filepath.Join(dir, path)
	}
	path, err := filepath.EvalSymlinks(path)
	return f.Sum + " " + strconv.Quote(path), err
}
