// Command bench is the Go side of the scripts that measure ragfaith:
//
//	bench rows     writes a dataset (scripts/bench-rows.sh)
//	bench encoder  times a model (scripts/bench-encoder.py)
package main

import (
	"errors"
	"fmt"
	"os"
)

func main() {
	err := errors.New("want a subcommand: rows or encoder")
	if len(os.Args) > 1 {
		switch name, args := os.Args[1], os.Args[2:]; name {
		case "rows":
			err = runRows(args)
		case "encoder":
			err = runEncoder(args)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
