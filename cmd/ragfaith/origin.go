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
	fromFile    = "file"        // path, line, and one of the layers
	fromProfile = "profile"     // its name, and the place that names it
)

// The files of settings, by how they were found.
const (
	layerNamed   = "named"   // by --config
	layerProject = "project" // in the working directory, or above it
	layerUser    = "user"    // in the user's folder
)

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

	layer string
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
		o.File, o.layer = source[1], source[3]
		o.Line, _ = strconv.Atoi(source[2]) // mark was given a number
		o.place = o.File + ":" + source[2]
	case fromProfile:
		o.Profile = source[1]
		o.place = "profile " + o.Profile + " (" + source[2] + ")"
	}
	return o
}
