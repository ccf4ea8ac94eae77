//go:build race

package encoder

// raceEnabled reports whether the race detector is on. It makes Go code ten times
// slower.
const raceEnabled = true
