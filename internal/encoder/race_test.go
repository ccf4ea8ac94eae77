//go:build race

package encoder

// raceEnabled says that the race detector is on, which makes plain Go ten times slower.
const raceEnabled = true
