package kernel

// Blocks of Rows: as many rows as keep what a transformer's feed-forward layers
// pass on within a second-level cache, where the weights lie ready, and more of
// them in float32, where each block lays out the weights again at the price of
// some four rows.
const (
	int8Block    = 128
	float32Block = 512
)

// blocks returns into how many blocks Rows cuts rows.
func (p *Pool) blocks(precision Precision, rows int) int {
	workers := len(p.workers)
	size := float32Block
	if precision == Int8 {
		size = int8Block
	}
	n := (rows + size - 1) / size
	if n >= workers {
		return (n + workers - 1) / workers * workers
	}
	if precision == Int8 && rows >= workers*p.k.mr {
		return workers
	}
	return 1
}
