//go:build !race

package encoder

// raceEnabled says that the race detector is on.
const raceEnabled = false
