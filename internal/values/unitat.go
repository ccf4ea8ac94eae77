package values

import "strings"

// unitAt returns the unit at token i, which follows a number, and the token after it, or
// 0. A hyphen may stand before the unit: 330-metre.
func (r *reader) unitAt(i int) (unit, int) {
	if r.is(i, "-") && r.joined(i-1) && r.joined(i) {
		i++
	}
	t := r.at(i)
	if t.end == t.start {
		return unit{}, 0
	}
	power := 1
	switch r.lower(i) {
	case "square", "sq":
		power = 2
	case "cubic":
		power = 3
	}
	if power > 1 {
		if i++; r.is(i, ".") {
			i++
		}
	}
	u, next := r.simpleUnit(i)
	if next == 0 {
		return unit{}, 0
	}
	switch {
	case r.joined(next-1) && r.is(next, "²", "2"):
		power, next = 2, next+1
	case r.joined(next-1) && r.is(next, "³", "3"):
		power, next = 3, next+1
	}
	if u.dimension == length {
		switch power {
		case 2:
			return unit{name: "square " + u.name, kind: Measure, dimension: area, factor: u.factor * u.factor}, next
		case 3:
			return unit{name: "cubic " + u.name, kind: Measure, dimension: volume, factor: u.factor * u.factor * u.factor * 1000}, next
		}
		if r.is(next, "/", "per", "an") {
			if d, ok := durationUnit(strings.ToLower(r.str(next + 1))); ok {
				if u.name == "km" && d.name == "hour" {
					u, _ = unitOf("kmh")
					return u, next + 2
				}
				return unit{name: u.name + "/" + d.name, kind: Measure, dimension: speed, factor: u.factor / d.factor}, next + 2
			}
		}
	}
	return u, next
}

// simpleUnit returns the unit at token i without a power or rate.
func (r *reader) simpleUnit(i int) (unit, int) {
	t := r.at(i)
	if t.class&unitStart == 0 {
		return unit{}, 0
	}
	name := strings.ToLower(r.text[t.start:t.end])
	switch name {
	case "c", "f":
		if t.class&word == 0 || r.text[t.start] >= 'a' || !r.joined(i-1) {
			return unit{}, 0
		}
		u, _ := unitOf("°" + name)
		return u, i + 1
	case "in", "bar", "mes":
		if !r.joined(i - 1) {
			return unit{}, 0
		}
	case "a":
		if r.joined(i - 1) { // room 204A
			return unit{}, 0
		}
	case "kb", "mb", "gb", "tb", "kbps", "mbps", "gbps", "tbps":
		return r.dataUnit(i, name)
	case "pound", "pounds":
		if r.nearWeight(i) {
			u, _ := unitOf("lb")
			return u, i + 1
		}
	}
	if t.class&ideogram != 0 {
		for _, size := range [...]int{2, 1} {
			if end := r.at(i + size - 1).end; end > t.start {
				if u, ok := unitOf(r.text[t.start:end]); ok {
					return u, i + size
				}
			}
		}
		if r.is(i, "个", "個") {
			return r.simpleUnit(i + 1)
		}
		return unit{}, 0
	}
	if u, n := r.longUnit(i); n > 0 {
		return u, i + n
	}
	u, ok := unitOf(r.text[t.start:t.end]) // mW is not MW
	if !ok {
		u, ok = unitOf(name)
	}
	if !ok || t.class&currency != 0 && !r.joined(i-1) && r.joined(i) && r.has(i+1, digits) {
		return unit{}, 0 // 95 €31
	}
	return u, i + 1
}

// longUnit returns the unit whose name of two or three words starts at token i, and the number
// of words, or 0.
func (r *reader) longUnit(i int) (unit, int) {
	name := strings.ToLower(r.str(i) + " " + r.str(i+1))
	if u, ok := unitOf(name); ok {
		return u, 2
	}
	u, ok := unitOf(name + " " + strings.ToLower(r.str(i+2)))
	if !ok {
		return unit{}, 0
	}
	return u, 3
}

// dataUnit returns the unit name of data or its rate at token i. The case of the b tells bits
// from bytes only in a rate: 40 Gb/s is an eighth of 40 GB/s, and 40 gb/s may be either.
func (r *reader) dataUnit(i int, name string) (unit, int) {
	w := r.str(i)
	bits := false
	switch {
	case len(name) > 2:
		bits = w[1:3] != "Bp"
	case r.is(i+1, "/", "per") && r.is(i+2, "s", "sec", "second"):
		if w == name {
			return unit{}, 0
		}
		bits = w[1] == 'b'
	}
	name = name[:2]
	if bits {
		name += "it"
	}
	u, _ := unitOf(name)
	return u, i + 1
}

// nearWeight reports whether the words before token i say that pounds are a weight.
func (r *reader) nearWeight(i int) bool {
	for k := max(0, i-8); k < i; k++ {
		if r.is(k, "weigh", "weighs", "weighed", "weighing", "weight", "heavy", "body") {
			return true
		}
	}
	return r.is(i+1, "heavier", "lighter")
}

// noun returns the words after a number that say what it counts. The last word is the
// first plural, or the only word.
func (r *reader) noun(i int) string {
	if r.is(i, "of") { // half of the members, a couple of days
		i++
		if r.is(i, "the", "its", "their", "our", "his", "her", "all") {
			i++
		}
	}
	if !r.startsNoun(i) {
		return ""
	}
	start, end := i, i+1
	for k := i; k < i+3; k++ {
		t := r.at(k)
		if t.class&word == 0 || t.class&(stop|ideogram|numeral|month) != 0 {
			break
		}
		if isPlural(r.text[t.start:t.end]) {
			end = k + 1
			break
		}
	}
	return r.text[r.at(start).start:r.at(end-1).end]
}

// startsNoun reports whether token i may start the noun after a number.
func (r *reader) startsNoun(i int) bool {
	return r.has(i, word) && !r.has(i, stop|numeral|ordinal|month|weekday|ideogram)
}

// isPlural reports whether w looks like a plural.
func isPlural(w string) bool {
	if len(w) > 3 && w[len(w)-1] == 's' && w[len(w)-2] != 's' {
		return true
	}
	switch w {
	case "people", "men", "women", "children", "staff", "fish", "sheep", "mice", "feet", "teeth", "aircraft", "personnel":
		return true
	}
	return false
}
