package hub

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/ragfaith/ragfaith/internal/encoder/checkpoint"
)

// Limits on the responses of a hub.
const (
	maxReplySize = 8 << 20 // size of a listing in bytes
	maxFileSize  = 1 << 42 // 4 TiB
)

// A listing describes a repository at a revision. The names of its files are those that
// the server sent; only known names are used.
type listing struct {
	Repo   string
	Commit string                // 40 hexadecimal digits
	Files  map[string]remoteFile // indexed by name
}

// A remoteFile is a file in a repository.
type remoteFile struct {
	Repo, Commit string
	Name         string
	Size         int64  // -1 if unknown
	Hash         string // SHA-256 of a large file, git's SHA-1 of a small one, or ""
}

// parseListing parses and validates the response to /api/models/REPO/revision/REVISION?blobs=true.
func parseListing(repo string, data []byte) (*listing, error) {
	var reply struct {
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
	if err := json.Unmarshal(data, &reply); err != nil {
		return nil, fmt.Errorf("%s: invalid response from the hub: %w", repo, err)
	}
	if !isHash(reply.SHA, sha1Digits) {
		return nil, fmt.Errorf("%s: invalid response from the hub: no commit", repo)
	}
	l := &listing{Repo: repo, Commit: reply.SHA, Files: make(map[string]remoteFile, len(reply.Siblings))}
	for _, s := range reply.Siblings {
		f := remoteFile{Repo: repo, Commit: reply.SHA, Name: s.Name, Size: -1, Hash: s.Blob}
		size := s.Size
		if s.LFS != nil {
			f.Hash = s.LFS.SHA256 // blobId is the hash of the LFS pointer
			if s.LFS.Size != nil {
				size = s.LFS.Size
			}
			if !isHash(f.Hash, sha256Digits) {
				return nil, fmt.Errorf("%s: %s: server sent no SHA-256", repo, s.Name)
			}
		} else if f.Hash != "" && !isHash(f.Hash, sha1Digits) {
			return nil, fmt.Errorf("%s: %s: server sent an invalid checksum", repo, s.Name)
		}
		if size != nil {
			if *size < 0 || *size > maxFileSize {
				return nil, fmt.Errorf("%s: %s: server sent an invalid size: %d bytes", repo, s.Name, *size)
			}
			f.Size = *size
		}
		l.Files[s.Name] = f
	}
	return l, nil
}

const (
	configFile    = "config.json"
	tokenizerFile = "tokenizer.json"
	modulesFile   = "modules.json"
)

// A modelFile is a file that may belong to a model.
type modelFile struct {
	name      string
	required  bool // the model cannot be used without it
	tokenizer bool // part of the tokenizer, see Name.Tokenizer
}

// modelFiles returns the files to download in addition to the weights. Code, weights
// in other formats and other versions of the same weights are never downloaded.
func modelFiles() []modelFile {
	return []modelFile{
		{name: configFile, required: true},
		{name: tokenizerFile, required: true, tokenizer: true},
		{name: "tokenizer_config.json", tokenizer: true},
		{name: "special_tokens_map.json", tokenizer: true},
		{name: modulesFile},
		{name: "1_Pooling/config.json"},
		{name: "sentence_bert_config.json"},
		{name: "config_sentence_transformers.json"},
	}
}

// selectNames returns the names of a model's files, the weights last, or else a file that
// is missing.
func selectNames(n Name, exists func(name string) bool) (names []string, missing string) {
	for _, p := range modelFiles() {
		switch {
		case exists(p.name):
			names = append(names, p.name)
		case p.required:
			return nil, p.name
		}
	}
	if n.Weights != "" {
		if !exists(n.Weights) {
			return nil, n.Weights
		}
		return append(names, n.Weights), ""
	}
	for _, name := range checkpoint.Files() {
		if exists(name) {
			return append(names, name), ""
		}
	}
	return nil, strings.Join(checkpoint.Files(), " or ")
}

// selectFiles returns the files of a model to download, see selectNames. tokenizer is the
// listing of Name.Tokenizer, or nil if that is "".
func selectFiles(n Name, l, tokenizer *listing) (files []remoteFile, err error) {
	all := maps.Clone(l.Files)
	if tokenizer != nil {
		for _, p := range modelFiles() {
			f, ok := tokenizer.Files[p.name]
			if _, own := all[p.name]; ok && (p.tokenizer || p.name == configFile && !own) {
				all[p.name] = f
			} else if p.tokenizer {
				delete(all, p.name)
			}
		}
	}
	names, missing := selectNames(n, func(name string) bool { _, ok := all[name]; return ok })
	switch missing {
	case "":
	case tokenizerFile:
		repo := cmp.Or(n.Tokenizer, n.Repo)
		return nil, fmt.Errorf("%s: missing file %s; create it with Python, in a directory DIR with the other files: AutoTokenizer.from_pretrained(%q).save_pretrained(DIR)", repo, missing, repo)
	default:
		return nil, fmt.Errorf("%s: missing file %s", n.Repo, missing)
	}
	for _, name := range names {
		files = append(files, all[name])
	}
	return files, nil
}
