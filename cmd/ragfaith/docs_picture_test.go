package main

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ragfaith/ragfaith/internal/report/html/browsertest"
)

// TestReportPicture checks the size of the picture of the HTML report. With -update and
// Chromium it takes the picture: the top of the report and an open row.
func TestReportPicture(t *testing.T) {
	const maxBytes, width, list, detail = 150_000, 1200, 780, 440
	path := filepath.Join(docsRoot, "docs", "report.png")
	if *update {
		browser := browsertest.Start(t)
		file := filepath.Join(t.TempDir(), "report.html")
		cmd := exec.Command("ragfaith", "score", "testdata/rows.jsonl", "--keep", "label", "--to", "none", "-o", file, "--config", "none")
		cmd.Dir, cmd.Env = docsRoot, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
		if printed, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
		p := browser.Open(t, readFile(t, file), "")
		p.SetColorScheme("light")
		p.SetViewport(width, list)
		picture := image.NewRGBA(image.Rect(0, 0, width, list+detail))
		draw.Draw(picture, image.Rect(0, 0, width, list), p.ScreenshotImage(), image.Point{}, draw.Src)
		p.SetViewport(width, detail)
		p.RunScript(`location.hash = "#row=ragtruth-964"`)
		p.WaitFor(`document.getElementById("detail").open`, "true")
		p.RunScript(`document.activeElement.blur()`)
		draw.Draw(picture, image.Rect(0, list, width, list+detail), p.ScreenshotImage(), image.Point{}, draw.Src)
		var b bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, paletted(picture)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	content := readFile(t, path)
	size, err := png.DecodeConfig(bytes.NewReader([]byte(content)))
	if err != nil {
		t.Fatal(err)
	}
	if len(content) > maxBytes || size.Width != width || size.Height != list+detail {
		t.Errorf("got %d × %d pixels in %d bytes, want %d × %d in at most %d", size.Width, size.Height, len(content), width, list+detail, maxBytes)
	}
}

// paletted reduces a picture to its 256 most frequent colors, which makes it smaller.
func paletted(picture *image.RGBA) *image.Paletted {
	counts := make(map[color.RGBA]int)
	for i := 0; i < len(picture.Pix); i += 4 {
		counts[color.RGBA{picture.Pix[i], picture.Pix[i+1], picture.Pix[i+2], 255}]++
	}
	colors := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int { return counts[b] - counts[a] })
	var palette color.Palette
	for _, c := range colors[:min(len(colors), 256)] {
		palette = append(palette, c)
	}
	reduced := image.NewPaletted(picture.Bounds(), palette)
	draw.Draw(reduced, picture.Bounds(), picture, image.Point{}, draw.Src)
	return reduced
}
