package main

import (
	"io"

	"github.com/ragfaith/ragfaith/internal/report"
)

// The values of --color.
const (
	colorAuto   = "auto"
	colorAlways = "always"
	colorNever  = "never"
)

// palette returns the colours for what is written to w. The variables are those
// of https://no-color.org and https://bixense.com/clicolors; --color always and
// never win over them, and NO_COLOR over the other two.
func (sys system) palette(w io.Writer) report.Palette {
	set := func(name string) bool { return variable(sys, name) != "" }
	mode := colorAuto
	if sys.color != nil {
		mode = *sys.color
	}
	switch {
	case mode != colorAuto:
		return report.Palette{On: mode == colorAlways}
	case set("NO_COLOR"):
		return report.Palette{}
	case set("CLICOLOR_FORCE") && variable(sys, "CLICOLOR_FORCE") != "0":
		return report.Palette{On: true}
	}
	plain := variable(sys, "TERM") == "dumb" || variable(sys, "CLICOLOR") == "0"
	return report.Palette{On: !plain && sys.Terminal(w) > 0 && takesEscapes(w)}
}
