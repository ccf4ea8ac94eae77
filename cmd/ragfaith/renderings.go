package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// renderingFormat returns the format of a file of calibrate and compare by its extension:
// json, md or html.
func renderingFormat(path string) (string, error) {
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	if !slices.Contains([]string{"json", "md", "html"}, format) {
		return "", exit.Usagef("-o %s: unknown extension, want .json, .md or .html", path)
	}
	return format, nil
}

// checkRenderings returns an error if a file of -o has an unknown format or would overwrite
// another one or an input.
func checkRenderings(output, inputs []string) error {
	for _, path := range output {
		if _, err := renderingFormat(path); err != nil {
			return err
		}
	}
	return checkOverwrites(targets(output), "", inputs)
}

// writeRenderings creates the files of -o and calls prepare, which returns the function
// that writes a format. The files appear only if all of them can be written, so that a file
// that can't be created is an error before prepare reads any row.
func writeRenderings(output []string, prepare func() (write func(w io.Writer, format string) error, err error)) error {
	var files []*safefile.Output
	defer func() {
		for _, f := range files {
			_, _ = f.Abandon(false) // an earlier error is returned
		}
	}()
	for _, path := range output {
		f, err := safefile.CreateOutput(path)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	write, err := prepare()
	if err != nil {
		return err
	}
	for i, path := range output {
		format, err := renderingFormat(path)
		if err == nil {
			err = write(files[i], format)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	for len(files) > 0 {
		f := files[0]
		files = files[1:]
		if err := f.Commit(); err != nil {
			return err
		}
	}
	return nil
}
