package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// environmentPrefix begins the names of the variables that set flags.
const environmentPrefix = "RAGFAITH_"

// variableOf is the variable that sets a flag.
func variableOf(flag string) string {
	return environmentPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fromEnvironment sets the flags that the command line did not, from variables
// named RAGFAITH_ and the flag's name in capitals. An empty variable is none. A
// flag that can be repeated takes a list with commas.
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
		mark(f, fromEnv, name)
	})
	if len(errs) > 0 {
		return &usageError{errors.Join(errs...)}
	}
	return nil
}

// lookupFlag returns the variable that sets a flag, under its present or a former
// name, and its value; "" if none is set.
func lookupFlag(flag string, lookup func(string) (string, bool)) (name, value string) {
	name = variableOf(flag)
	value, _ = lookup(name)
	for former, current := range formerNames() {
		if value == "" && current == flag {
			name = variableOf(former)
			value, _ = lookup(name)
		}
	}
	return name, value
}
