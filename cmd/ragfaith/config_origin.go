package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// The annotation sourceKey of a flag that was not set on the command line has one of the
// sources below and its details.
const (
	sourceKey   = "source"
	fromEnv     = "environment" // the variable
	fromFile    = "file"        // path, line, and untrusted or ""
	fromProfile = "profile"     // its name, and the place that names it
)

// untrusted marks a value that a config file may not set before it is trusted.
const untrusted = "untrusted"

// setOrigin records where the value of a flag comes from.
func setOrigin(f *pflag.Flag, source ...string) {
	f.Changed = true
	if f.Annotations == nil {
		f.Annotations = make(map[string][]string)
	}
	f.Annotations[sourceKey] = source
}

// An origin is the source of the value of a flag.
type origin struct {
	Source   string `json:"source"` // flag, environment, file, profile or default
	Variable string `json:"variable,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Profile  string `json:"profile,omitempty"`
	// Untrusted means that no command runs with this value, see [harmless].
	Untrusted bool `json:"untrusted,omitempty"`

	place string // for messages
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
	case fromProfile:
		o.Profile = source[1]
		o.place = "profile " + o.Profile + " (" + source[2] + ")"
	}
	return o
}

// environmentPrefix is the prefix of the variables that set flags.
const environmentPrefix = "RAGFAITH_"

// variableOf returns the variable that sets a flag.
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
