package dataset

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
)

// isListGroup reports whether a group is annotated as a list. Without an
// annotation, it reports whether the group has the structure of a list.
func isListGroup(c *parquet.Column) bool {
	if logical := logicalType(c); logical != nil {
		_, ok := logical.(*format.ListType)
		return ok
	}
	switch c.Columns()[0].Name() {
	case "list", "bag", "array":
		return true
	}
	return false
}

// logicalType returns the annotation of a column, or nil.
func logicalType(c *parquet.Column) format.LogicalTypeValue {
	if logical := c.Type().LogicalType(); logical != nil {
		return logical.Value
	}
	return nil
}

// convert converts a value of the leaf according to its annotation or else its physical type.
func (l *leaf) convert(v parquet.Value) (shape.Kind, string) {
	physical := v.Kind()
	switch t := l.logical.(type) {
	case *format.DecimalType:
		return shape.Number, decimal(v, int(t.Scale))
	case *format.DateType:
		return shape.Text, time.Unix(int64(v.Int32())*86400, 0).UTC().Format(time.DateOnly)
	case *format.TimestampType:
		if physical == parquet.Int64 {
			return shape.Text, timestamp(v.Int64(), t)
		}
	case *format.UUIDType:
		return shape.Text, uuid(v.ByteArray())
	case *format.IntType:
		switch {
		case t.IsSigned:
		case physical == parquet.Int32:
			return shape.Number, strconv.FormatUint(uint64(v.Uint32()), 10)
		case physical == parquet.Int64:
			return shape.Number, strconv.FormatUint(v.Uint64(), 10)
		}
	}
	switch physical {
	case parquet.Boolean:
		return shape.Bool, strconv.FormatBool(v.Boolean())
	case parquet.Int32:
		return shape.Number, strconv.FormatInt(int64(v.Int32()), 10)
	case parquet.Int64:
		return shape.Number, strconv.FormatInt(v.Int64(), 10)
	case parquet.Int96:
		return shape.Text, int96(v.Int96())
	case parquet.Float:
		return float(float64(v.Float()), 32)
	case parquet.Double:
		return float(v.Double(), 64)
	case parquet.ByteArray:
		if text := string(v.ByteArray()); utf8.ValidString(text) {
			return shape.Text, text
		}
	case parquet.FixedLenByteArray: // such as half floats
	}
	return shape.Bytes, string(v.ByteArray())
}

func float(f float64, bits int) (shape.Kind, string) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return shape.Null, ""
	}
	return shape.Number, string(jsontext.AppendFloat(nil, f, bits))
}

// decimal formats an unscaled number with a decimal point.
func decimal(v parquet.Value, scale int) string {
	n := new(big.Int)
	if v.Kind() == parquet.Int32 {
		n.SetInt64(int64(v.Int32()))
	} else if v.Kind() == parquet.Int64 {
		n.SetInt64(v.Int64())
	} else {
		b := v.ByteArray()
		n.SetBytes(b)
		if len(b) > 0 && b[0] >= 0x80 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	}
	const maxScale = 1 << 10 // far more than any writer uses
	if scale <= 0 || scale > maxScale {
		return n.String()
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	return new(big.Rat).SetFrac(n, unit).FloatString(scale)
}

// timestamp formats a time as RFC 3339. It omits the zone if the column contains local times.
func timestamp(n int64, l *format.TimestampType) string {
	var t time.Time
	switch l.Unit.Value.(type) {
	case *format.MilliSeconds:
		t = time.UnixMilli(n)
	case *format.MicroSeconds:
		t = time.UnixMicro(n)
	default:
		t = time.Unix(0, n)
	}
	if l.IsAdjustedToUTC {
		return t.UTC().Format(time.RFC3339Nano)
	}
	return t.UTC().Format("2006-01-02T15:04:05.999999999")
}

// int96 formats a legacy timestamp, which consists of a Julian day and the
// nanoseconds within that day.
func int96(v deprecated.Int96) string {
	const unixEpoch = 2440588 // Julian day of 1970-01-01
	nanos := int64(uint64(v[1])<<32 | uint64(v[0]))
	t := time.Unix((int64(v[2])-unixEpoch)*86400, 0).Add(time.Duration(nanos))
	return t.UTC().Format("2006-01-02T15:04:05.999999999")
}

func uuid(b []byte) string {
	if len(b) != 16 {
		return base64.StdEncoding.EncodeToString(b)
	}
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", binary.BigEndian.Uint32(b), b[4:6], b[6:8], b[8:10], b[10:])
}
