package main

import (
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
