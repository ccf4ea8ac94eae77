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

// noConfig is the value of --config to read no config file.
const noConfig = "none"

// resolveFlags sets the flags that the command line did not: from the environment, then
// from config files. With enforce, it is an error if a file that was found and is not
// trusted sets more than [harmless] allows, and the options of a found file are announced
// on standard error.
func resolveFlags(cmd *cobra.Command, sys system, enforce bool) error {
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
	files, err := configFiles(flags.Lookup("config").Value.String(), sys)
	if err != nil || len(files) == 0 {
		return err
	}
	known := newCatalog(sys)
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

// configurable reports whether a command reads config files: it has own flags, and is
// not one that must work whatever a file contains.
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

// configurableCommands returns the commands below cmd that read config files.
func configurableCommands(cmd *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	if configurable(cmd) {
		all = append(all, cmd)
	}
	for _, sub := range cmd.Commands() {
		all = append(all, configurableCommands(sub)...)
	}
	return all
}

// A configFile is a config file and its origin.
type configFile struct {
	*config.File
	found   bool // in the working directory or above it, so it may be anybody's
	trusted bool // see trust
}

// configFiles reads the files of settings, the one that counts most first. given
// is the value of --config.
func configFiles(given string, sys system) ([]configFile, error) {
	var files []configFile
	read := func(path string, found bool) error {
		f, err := readConfig(path)
		if err == nil {
			files = append(files, configFile{f, found, !found || isTrusted(f, sys)})
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

// checkFound returns an error for a found config file that is a link or belongs to
// another user: paths in a linked file would be relative to an unexpected directory, and
// anyone can create a file in a shared directory.
func checkFound(path string) error {
	err := safefile.CheckPath(path)
	if reason, ok := errors.AsType[*fs.PathError](err); ok {
		return usagef("%s %w: use --config FILE to read it anyway, or --config none to ignore it", path, reason.Err)
	}
	return err
}

// readConfig reads a config file. Mistakes in it are a usageError.
func readConfig(path string) (*config.File, error) {
	f, err := config.Read(path)
	if mistake, ok := errors.AsType[*config.Error](err); ok {
		return nil, &usageError{mistake}
	}
	return f, err
}

// projectFile returns the config file for the working directory, relative to it, or "" if
// there is none.
func projectFile(sys system) string {
	if sys.WorkDir == nil {
		return ""
	}
	dir, err := sys.WorkDir()
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir) // its parents are those of the real directory
	}
	if err != nil {
		return "" // without a working directory there is nothing to look for
	}
	path := config.Find(dir)
	if path == "" {
		return ""
	}
	if rel, err := filepath.Rel(dir, path); err == nil {
		return rel
	}
	return path
}

// userFile returns the config file of the user, or "" if there is none.
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
