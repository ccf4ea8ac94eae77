package html

import (
	"io"

	"github.com/ragfaith/ragfaith/internal/calibrate"
)

// WriteCalibration writes a calibration report as an HTML page that works offline and has
// no script.
func WriteCalibration(w io.Writer, p *calibrate.Page) error {
	t, err := parse("calibration")
	if err != nil {
		return err
	}
	return t.ExecuteTemplate(w, "page.tmpl", p)
}
