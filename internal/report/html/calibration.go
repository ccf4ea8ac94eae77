package html

import (
	"io"

	"github.com/ragfaith/ragfaith/internal/calibrate"
)

// WriteCalibration writes a calibration as an HTML page that works offline and has no script.
func WriteCalibration(w io.Writer, c *calibrate.Calibration) error {
	t, err := parse("calibration")
	if err != nil {
		return err
	}
	return t.ExecuteTemplate(w, "page.tmpl", c.Page())
}
