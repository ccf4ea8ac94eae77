package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/config"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// noConfig is the value of --config that disables config files.
const noConfig = "none"

// resolveFlags sets flags not given on the command line from the environment and then
// from config files. If enforce is set, an untrusted file may only set [harmless] values,
// and the options of a discovered file are reported on standard error.
func resolveFlags(cmd *cobra.Command, sys system, enforce bool) error {
	flags := cmd.Flags()
	err := applyProfile(flags, sys.LookupEnv)
	if err == nil {
		err = fromEnvironment(flags, sys.LookupEnv)
	}
	if err == nil {
		err = applyProfile(flags, sys.LookupEnv)
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
		if enforce && f.discovered {
			announce(cmd, f, set)
		}
		if err := applyProfile(flags, sys.LookupEnv); err != nil {
			return err
		}
	}
	return nil
}

// configurable reports whether a command reads config files. It must have local flags and
// not be one of the commands that have to work even if a config file is invalid.
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

// configurableCommands returns cmd and its subcommands, without those that read no config
// files.
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
	discovered bool // in the working directory or above it, so anyone may have written it
	trusted    bool // may set every option; see isTrusted
}

// configFiles reads the config files in order of precedence. given is the value of
// --config.
func configFiles(given string, sys system) ([]configFile, error) {
	var files []configFile
	read := func(path string, discovered bool) error {
		f, err := readConfig(path)
		if err == nil {
			files = append(files, configFile{f, discovered, !discovered || isTrusted(f, sys)})
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
		if err := checkDiscovered(project); err != nil {
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

// checkDiscovered returns an error if a discovered config file is a symbolic link or
// belongs to another user. Paths in a linked file would be relative to an unexpected
// directory, and in a shared directory anyone could have created the file.
func checkDiscovered(path string) error {
	err := safefile.CheckPath(path)
	if reason, ok := errors.AsType[*fs.PathError](err); ok {
		return usagef("%s %w: use --config FILE to read it anyway, or --config none to ignore it", path, reason.Err)
	}
	return err
}

// readConfig reads a config file. Invalid content is a usageError.
func readConfig(path string) (*config.File, error) {
	f, err := config.Read(path)
	if mistake, ok := errors.AsType[*config.Error](err); ok {
		return nil, &usageError{mistake}
	}
	return f, err
}

// projectFile returns the config file in the working directory or its nearest parent, as
// a relative path, or "" if not found.
func projectFile(sys system) string {
	if sys.WorkDir == nil {
		return ""
	}
	dir, err := sys.WorkDir()
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir) // search the parents of the real directory
	}
	if err != nil {
		return "" // unknown working directory
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

// userFile returns the path of the user's config file, or "" if not found.
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

// The annotation sourceKey of a flag that was not set on the command line is one of the
// following sources with its details.
const (
	sourceKey   = "source"
	fromEnv     = "environment" // the variable
	fromFile    = "file"        // path, line, and untrusted or ""
	fromProfile = "profile"     // its name, and the origin of --profile
	fromJudge   = "judge"       // the server that --judge names, and the origin of --judge
)

// untrusted marks a value that a config file may not set before it is trusted.
const untrusted = "untrusted"

// setOrigin records the source of the value of a flag.
func setOrigin(f *pflag.Flag, source ...string) {
	f.Changed = true
	if f.Annotations == nil {
		f.Annotations = make(map[string][]string)
	}
	f.Annotations[sourceKey] = source
}

// An origin is the source of the value of a flag.
type origin struct {
	Source   string `json:"source"` // flag, environment, file, profile, judge or default
	Variable string `json:"variable,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Profile  string `json:"profile,omitempty"`
	// Untrusted means that commands refuse to run with this value; see [harmless].
	Untrusted bool `json:"untrusted,omitempty"`

	place string // where the value was set, for messages
}

// originOf returns the origin of the value of a flag.
func originOf(f *pflag.Flag) origin {
	source := f.Annotations[sourceKey]
	switch {
	case !f.Changed:
		return origin{Source: "default", place: "default"}
	case len(source) == 0:
		return origin{Source: "flag", place: "flag"}
	}
	o := origin{Source: source[0]}
	switch o.Source {
	case fromEnv:
		o.Variable = source[1]
		o.place = "environment " + o.Variable
	case fromFile:
		o.File, o.Untrusted = source[1], source[3] == untrusted
		o.Line, _ = strconv.Atoi(source[2]) // setOrigin stores a number
		o.place = o.File + ":" + source[2]
		if o.Untrusted {
			o.place += ", not trusted"
		}
	case fromJudge:
		o.place = "judge " + source[1] + " (" + source[2] + ")"
	case fromProfile:
		o.Profile = source[1]
		o.place = "profile " + o.Profile + " (" + source[2] + ")"
	}
	return o
}

// environmentPrefix is the prefix of environment variables that set flags.
const environmentPrefix = "RAGFAITH_"

// variableOf returns the name of the environment variable that sets a flag.
func variableOf(flag string) string {
	return environmentPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fromEnvironment sets the flags that are not set yet from variables such as
// RAGFAITH_MIN_MEAN. Empty variables are ignored. A repeatable flag takes a
// comma-separated list.
func fromEnvironment(flags *pflag.FlagSet, lookup func(string) (string, bool)) error {
	var errs []error
	flags.VisitAll(func(f *pflag.Flag) {
		name, value := lookupFlag(f.Name, lookup)
		if value == "" || f.Changed || f.Name == "help" || f.Name == "version" {
			return
		}
		values := []string{value}
		if isList(f) {
			values = strings.Split(value, ",")
		}
		for _, v := range values {
			if err := f.Value.Set(v); err != nil {
				errs = append(errs, fmt.Errorf("%s=%s: %w", name, v, err))
			}
		}
		setOrigin(f, fromEnv, name)
	})
	if len(errs) > 0 {
		return &usageError{errors.Join(errs...)}
	}
	return nil
}

// lookupFlag returns the name and value of the environment variable that sets a flag. Both
// are "" if it is not set.
func lookupFlag(flag string, lookup func(string) (string, bool)) (name, value string) {
	name = variableOf(flag)
	value, _ = lookup(name)
	return name, value
}
