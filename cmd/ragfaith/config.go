package main

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/config"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// noConfig is the value of --config with which no file of settings is read.
const noConfig = "none"

// resolve sets the flags that the command line did not: from the environment,
// then from the config files. With enforce, a file that was found and is not
// trusted is an error if it sets more than [harmless] allows, and what a found
// file sets is announced on standard error.
func resolve(cmd *cobra.Command, sys system, enforce bool) error {
	flags := cmd.Flags()
	err := applyProfile(flags)
	if err == nil {
		err = fromEnvironment(flags, sys.LookupEnv)
	}
	if err == nil {
		err = applyProfile(flags)
	}
	if err != nil || !configurable(cmd) {
		return err
	}
	files, err := settingsFiles(flags.Lookup("config").Value.String(), sys)
	if err != nil || len(files) == 0 {
		return err
	}
	known := newCatalogue(sys)
	for _, f := range files {
		if err := errors.Join(known.check(f, sys)...); err != nil {
			return &usageError{err}
		}
		set, errs := known.apply(f, cmd, sys)
		if enforce && !f.trusted {
			errs = append(errs, needsTrust(f, set)...)
		}
		if err := errors.Join(errs...); err != nil {
			return &usageError{err}
		}
		if enforce && f.found {
			announce(cmd, f, set)
		}
		if err := applyProfile(flags); err != nil {
			return err
		}
	}
	return nil
}

// configurable reports whether a command takes settings from files: it has flags
// of its own, and is not one that must work whatever is in a file.
func configurable(cmd *cobra.Command) bool {
	top := cmd
	for top.HasParent() && top.Parent().HasParent() {
		top = top.Parent()
	}
	if slices.Contains([]string{"completion", "config", "help", "man", "version", cobra.ShellCompRequestCmd}, top.Name()) {
		return false
	}
	return cmd.HasParent() && slices.ContainsFunc(flagsOf(cmd), func(f *pflag.Flag) bool { return cmd.InheritedFlags().Lookup(f.Name) == nil })
}

// configurables are the commands below one that take settings from files.
func configurables(cmd *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	if configurable(cmd) {
		all = append(all, cmd)
	}
	for _, sub := range cmd.Commands() {
		all = append(all, configurables(sub)...)
	}
	return all
}

// A settingsFile is a config file, and how it was found.
type settingsFile struct {
	*config.File
	found   bool // in the working directory or above it, so it may be anybody's
	trusted bool // see trust
}

// settingsFiles reads the files of settings, the one that counts most first. given
// is the value of --config.
func settingsFiles(given string, sys system) ([]settingsFile, error) {
	var files []settingsFile
	read := func(path string, found bool) error {
		f, err := readSettings(path)
		if err == nil {
			files = append(files, settingsFile{f, found, !found || isTrusted(f, sys)})
		}
		return err
	}
	switch {
	case given == noConfig:
		return nil, nil
	case given != "":
		return files, errors.Join(read(given, false))
	}
	project, user := projectFile(sys), userFile(sys)
	if project != "" {
		if err := checkFound(project); err != nil {
			return nil, err
		}
		if err := read(project, true); err != nil {
			return nil, err
		}
	}
	if user != "" && (project == "" || !sameFile(user, project)) {
		if err := read(user, false); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// checkFound refuses a config file that was found if it is a link, or belongs to
// another user: names in it would be relative to another directory than those who
// trust it think, and in a shared directory anybody can put one.
func checkFound(path string) error {
	err := safefile.CheckPath(path)
	if reason, ok := errors.AsType[*fs.PathError](err); ok {
		return usagef("%s %w: --config names a file that may be one, and --config none ignores it", path, reason.Err)
	}
	return err
}

// readSettings reads a config file. A mistake in it is a usageError.
func readSettings(path string) (*config.File, error) {
	f, err := config.Read(path)
	if mistake, ok := errors.AsType[*config.Error](err); ok {
		return nil, &usageError{mistake}
	}
	return f, err
}

// projectFile returns the file for the working directory, as seen from there; ""
// for none.
func projectFile(sys system) string {
	if sys.WorkDir == nil {
		return ""
	}
	dir, err := sys.WorkDir()
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir) // what is above it is above the real one
	}
	if err != nil {
		return "" // nobody can say where we are, nor then what is there
	}
	path := config.Find(dir)
	if path == "" {
		return ""
	}
	if seen, err := filepath.Rel(dir, path); err == nil {
		return seen
	}
	return path
}

// userFile returns the user's own file; "" for none.
func userFile(sys system) string {
	if sys.ConfigDir == nil {
		return ""
	}
	dir, err := sys.ConfigDir()
	if err != nil {
		return ""
	}
	return config.In(filepath.Join(dir, "ragfaith"))
}
