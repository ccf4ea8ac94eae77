// Package hub finds models on the disk and fetches them from a Hugging Face hub.
//
// A model of ragfaith's own lies in a folder of its repository and commit, which
// appears when all of its files are there and are what the hub says they are. A
// model that other programs left in the Hugging Face cache is used where it is.
package hub

import (
	"net/http"
	"os"
	"time"
)

// DefaultStall is how long a server may send nothing before a try is given up,
// where Puller does not say.
const DefaultStall = 30 * time.Second

// A Puller fetches models into a store.
type Puller struct {
	Store    Store
	Endpoint string        // where the hub is; empty for DefaultEndpoint
	Token    string        // sent to the hub and to no other host; may be empty
	HTTP     *http.Client  // brings the transport; redirections are this package's own
	Clock    Clock         // never nil
	Stall    time.Duration // a try ends when nothing comes for so long; 0 for DefaultStall
	Retries  int           // tries after the first, counted anew when a connection works
	Watch    Watch

	writing func(*os.File, []byte) (int, error) // nil but in tests of a full disk
}

// Watch is told how a download goes, from several goroutines. Each of its
// functions may be nil.
type Watch struct {
	Plan  func(files int, bytes int64) // once, before the first file
	Bytes func(n int64)                // of the plan, that are there; below 0 for what has to come again
	Retry func(err error, wait time.Duration)
	Wait  func(repo string) // another process is fetching the same model
}

func (w *Watch) bytes(n int64) {
	if w.Bytes != nil && n != 0 {
		w.Bytes(n)
	}
}
