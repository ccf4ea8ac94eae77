// Package page is a stand-in.
package page

import (
	"io"

	"github.com/ragfaith/ragfaith/internal/compare"
)

// Write writes.
func Write(w io.Writer, c *compare.Comparison) error { _, err := io.WriteString(w, ""); return err }
