package main

import (
	"strconv"

	"github.com/spf13/pflag"
)

// A flag that was not set on the command line has under sourceKey where its value
// comes from: one of the words below, and then what that word needs.
const (
	sourceKey   = "source"
	fromEnv     = "environment" // the variable
	fromFile    = "file"        // path, line, and untrusted or ""
	fromProfile = "profile"     // its name, and the place that names it
)

// untrusted marks a value that a found config file may not set until it is
// trusted.
const untrusted = "untrusted"

// mark says where the value of a flag comes from.
func mark(f *pflag.Flag, source ...string) {
	f.Changed = true
	if f.Annotations == nil {
		f.Annotations = make(map[string][]string)
	}
	f.Annotations[sourceKey] = source
}

// An origin is where the value of a flag comes from.
type origin struct {
	Source   string `json:"source"` // flag, environment, file, profile or default
	Variable string `json:"variable,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Profile  string `json:"profile,omitempty"`
	// Untrusted means that no command runs with this value: see [harmless].
	Untrusted bool `json:"untrusted,omitempty"`

	place string // for a person
}

// originOf reads what mark has written.
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
		o.Line, _ = strconv.Atoi(source[2]) // mark was given a number
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
