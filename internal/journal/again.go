package journal

// Again reads the stored results a second time, beside those of Stored: for a run
// that goes over its rows more than once. It returns nil where there are none. The
// caller closes it.
func (j *Journal) Again() (*Stored, error) {
	if j.stored == nil {
		return nil, nil
	}
	return openStored(j.part, j.of)
}

// Close closes a Stored that Again returned.
func (s *Stored) Close() { s.close() }
