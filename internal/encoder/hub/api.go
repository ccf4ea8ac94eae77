package hub

import (
	"encoding/json"
	"fmt"
)

const (
	mostReply = 32 << 20 // bytes of the hub's description of a repository
	mostFiles = 100_000  // that a repository may have
	mostBytes = 1 << 42  // 4 TiB, of a file
)

// A listing is what the hub says of a repository at a revision.
type listing struct {
	Commit string // 40 hexadecimal digits
	Files  map[string]source
}

// A source is a file on the hub and what is known of its content.
type source struct {
	Repo, Commit string
	Name         string
	Size         int64  // -1 where the hub does not say
	SHA256       string // of a large file; else empty
	Blob         string // git's SHA-1 of a small file; else empty
}

// parseListing reads the reply to /api/models/REPO/revision/REVISION?blobs=true.
// All of it is checked: whatever is in the result can be used as it is.
func parseListing(repo string, reply []byte) (*listing, error) {
	var said struct {
		SHA      string `json:"sha"`
		Siblings []struct {
			Name string `json:"rfilename"`
			Size *int64 `json:"size"`
			Blob string `json:"blobId"`
			LFS  *struct {
				SHA256 string `json:"sha256"`
				Size   *int64 `json:"size"`
			} `json:"lfs"`
		} `json:"siblings"`
	}
	if err := json.Unmarshal(reply, &said); err != nil {
		return nil, fmt.Errorf("%s: the server's reply is not that of a hub: %w", repo, err)
	}
	if !isHash(said.SHA, sha1Digits) {
		return nil, fmt.Errorf("%s: the server's reply is not that of a hub: it names no commit", repo)
	}
	if len(said.Siblings) > mostFiles {
		return nil, fmt.Errorf("%s: it has more than %d files", repo, mostFiles)
	}
	l := &listing{Commit: said.SHA, Files: make(map[string]source, len(said.Siblings))}
	for _, s := range said.Siblings {
		if err := checkFileName(s.Name); err != nil {
			return nil, fmt.Errorf("%s: %w", repo, err)
		}
		if _, twice := l.Files[s.Name]; twice {
			return nil, fmt.Errorf("%s: the server names %s twice", repo, s.Name)
		}
		f := source{Repo: repo, Commit: said.SHA, Name: s.Name, Size: -1, Blob: s.Blob}
		size := s.Size
		if s.LFS != nil {
			f.SHA256, f.Blob = s.LFS.SHA256, "" // the blob is a pointer to the file
			if s.LFS.Size != nil {
				size = s.LFS.Size
			}
			if !isHash(f.SHA256, sha256Digits) {
				return nil, fmt.Errorf("%s: %s: the server gives no SHA-256", repo, s.Name)
			}
		}
		if f.Blob != "" && !isHash(f.Blob, sha1Digits) {
			return nil, fmt.Errorf("%s: %s: the server gives a checksum that is none", repo, s.Name)
		}
		if size != nil {
			if *size < 0 || *size > mostBytes {
				return nil, fmt.Errorf("%s: %s: the server gives a size of %d bytes", repo, s.Name, *size)
			}
			f.Size = *size
		}
		l.Files[s.Name] = f
	}
	return l, nil
}
