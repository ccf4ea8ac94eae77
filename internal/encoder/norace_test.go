//go:build !race

package encoder

// racing says that the race detector is on.
const racing = false
