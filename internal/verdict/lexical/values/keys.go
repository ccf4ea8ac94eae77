package values

import "math"

// AppendKeys appends hash keys of v to dst. Values of which one mentions the other share
// at least one key, unless a number is rounded or exceeds a bound. A claimed date has one
// key; a stated date also has those of the less precise dates that it implies.
func (v *Value) AppendKeys(dst []uint64, claimed bool) []uint64 {
	add := func(kind Kind, low, high float64) {
		const prime = 0x9E3779B97F4A7C15
		h := (uint64(math.Float32bits(float32(low)))<<32 | uint64(math.Float32bits(float32(high)))) ^ uint64(kind+1)
		h *= prime
		dst = append(dst, h^h>>29)
	}
	if v.Kind != Date {
		factor := factorOf(v.Unit)
		for _, x := range [...]float64{v.at[0], v.at[1], v.other, v.parts[0], v.parts[1]} {
			if x != 0 || x == v.at[0] {
				add(Number, x, x)
				add(Number, x/factor, x/factor)
			}
		}
		return dst
	}
	low, high, kind := v.at[0], v.at[1], Date
	if v.Unit != "" {
		kind = Ordinal // recurring
	}
	add(kind, low, high)
	if v.other != 0 {
		add(kind, v.other, v.other)
	}
	if v.Unit != "" {
		return dst
	}
	y, m, _ := civil(low)
	month, year := period(y, m, y, m), period(y, 1, y, 12)
	if low == year.Low && high == year.High {
		add(Number, float64(y), float64(y))
	}
	if claimed {
		return dst
	}
	if high <= month.High {
		add(Date, month.Low, month.High)
		if low, high, ok := v.yearless(); ok {
			add(Ordinal, low, high)
		}
	}
	if high <= year.High {
		add(Date, year.Low, year.High)
	}
	return dst
}
