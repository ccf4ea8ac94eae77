package result

import "io"

const (
	MaxEarly = maxEarly
	MaxKept  = maxKept
)

// NewParquetWriter returns a Parquet writer with row groups of limit bytes.
func NewParquetWriter(w io.Writer, o Options, limit int) Writer {
	p := newParquetWriter(w, o)
	p.limit = limit
	return p
}

// SpoolInFile reports whether a Parquet writer has a temporary file.
func SpoolInFile(w Writer) bool {
	return !w.(*parquetWriter).spool.InMemory() //nolint:forcetypeassert // only called with Parquet writers
}

// FieldNames returns the names of the fields of each object, by the path of the object.
func FieldNames() map[string][]string {
	names := make(map[string][]string)
	rowFields().collect("", names)
	return names
}

func (s *fieldSet) collect(path string, names map[string][]string) {
	for i := range s.fields {
		f := &s.fields[i]
		if f.kind == embedded {
			f.of.collect(path, names)
			continue
		}
		names[path] = append(names[path], f.name)
		of := f.of
		if f.elem != nil {
			of = f.elem.of
		}
		if of != nil {
			of.collect(path+"/"+f.name, names)
		}
	}
}
