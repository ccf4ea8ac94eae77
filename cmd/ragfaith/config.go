package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/report"
)

// resolveFlags sets flags not given on the command line from the environment and then
// from the config file.
func resolveFlags(cmd *cobra.Command, sys system) error {
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
	if quiet := flags.Lookup("quiet"); quiet == nil || quiet.Value.String() != "true" {
		warnUnusedVariables(cmd, sys)
	}
	f, err := readConfig(flags.Lookup("config").Value.String())
	if f == nil || err != nil {
		return err
	}
	if err := errors.Join(append(f.check(cmd.Root()), f.apply(cmd, sys)...)...); err != nil {
		return &exit.UsageError{Err: err}
	}
	return applyProfile(flags, sys.LookupEnv)
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
	return slices.DeleteFunc(documentedCommands(cmd), func(c *cobra.Command) bool { return !configurable(c) })
}

// sourceKey is the annotation of a flag that was not set on the command line. It says where
// the value was set, such as "environment RAGFAITH_JUDGE" or "ragfaith.yaml:3".
const sourceKey = "source"

// setOrigin records where the value of a flag was set.
func setOrigin(f *pflag.Flag, place string) {
	f.Changed = true
	if f.Annotations == nil {
		f.Annotations = make(map[string][]string)
	}
	f.Annotations[sourceKey] = []string{place}
}

// originOf returns where the value of a flag was set.
func originOf(f *pflag.Flag) string {
	if !f.Changed {
		return "default"
	}
	return cmp.Or(annotation(f, sourceKey), "flag")
}

// variableOf returns the name of the environment variable that sets a flag.
func variableOf(flag string) string {
	return "RAGFAITH_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fromEnvironment sets the flags that are not set yet from variables such as
// RAGFAITH_MIN_MEAN. Empty variables are ignored. A repeatable flag takes a
// comma-separated list.
func fromEnvironment(flags *pflag.FlagSet, lookup func(string) (string, bool)) error {
	var errs []error
	flags.VisitAll(func(f *pflag.Flag) {
		name := variableOf(f.Name)
		value, _ := lookup(name)
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
		setOrigin(f, "environment "+name)
	})
	if len(errs) > 0 {
		return &exit.UsageError{Err: errors.Join(errs...)}
	}
	return nil
}

// warnUnusedVariables warns about variables such as RAGFAITH_MIN_MAEN, which set no flag of any
// command, and about empty ones of gates: a gate would be missing.
func warnUnusedVariables(cmd *cobra.Command, sys system) {
	if sys.environ == nil {
		return
	}
	known := append(namesOf(optionNames(cmd.Root()), variableOf), variableOf("config"), "RAGFAITH_BINARY", "RAGFAITH_ENDPOINT") // read by the Python module, and by "models pull"
	for _, entry := range sys.environ() {
		name, value, _ := strings.Cut(entry, "=")
		option, ok := strings.CutPrefix(name, variableOf(""))
		switch {
		case !ok:
		case !slices.Contains(known, name):
			fmt.Fprintf(cmd.ErrOrStderr(), "ragfaith: warning: the variable %s is no option\n", report.Printable(name))
		case value == "" && (strings.HasPrefix(option, "MIN_") || strings.HasPrefix(option, "MAX_")):
			fmt.Fprintf(cmd.ErrOrStderr(), "ragfaith: warning: the variable %s is empty and sets nothing\n", name)
		}
	}
}
