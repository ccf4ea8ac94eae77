package values

// The dimensions of measures.
const (
	noDimension uint8 = iota
	length
	mass
	volume
	area
	speed
	data
	energy
	power
	temperature
	frequency
	pressure
)

// A unit is a unit of measurement, time or money, or the percent sign.
type unit struct {
	name      string
	kind      Kind
	dimension uint8
	factor    float64 // value in the base unit
	calendar  bool    // a month or longer
}

// secondsPerMonth is the length of the mean month of the Gregorian calendar.
const secondsPerMonth = 2629746
