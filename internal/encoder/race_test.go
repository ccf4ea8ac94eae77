//go:build race

package encoder

// racing says that the race detector is on, which makes plain Go ten times slower.
const racing = true
