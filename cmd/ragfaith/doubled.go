package main

import "os"

// doubled returns two of the names that are of one file, in their order, and false
// where there are none. It asks for each file once: thousands of shards are many, and
// their pairs too many.
func doubled(paths []string) (first, second string, found bool) {
	// Two names of a file have its size and time, so only those are compared.
	type key struct {
		path       string // in full, of what is not there
		size, time int64
	}
	type seen struct {
		path string
		info os.FileInfo
	}
	all := make(map[key][]seen)
	for _, path := range paths {
		info, err := os.Stat(path)
		k := key{path: resolved(path)}
		if err == nil {
			k = key{size: info.Size(), time: info.ModTime().UnixNano()}
		}
		for _, other := range all[k] {
			if err != nil || os.SameFile(info, other.info) {
				return other.path, path, true
			}
		}
		all[k] = append(all[k], seen{path, info})
	}
	return "", "", false
}
