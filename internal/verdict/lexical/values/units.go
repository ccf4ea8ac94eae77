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
	calendar  bool    // a month or a multiple
}

// Lengths of the mean month and year of the Gregorian calendar in seconds.
const (
	secondsPerMonth = 30.436875 * 86400
	secondsPerYear  = 12 * secondsPerMonth
)

// unitOf returns the unit with a name or abbreviation in lower case without accents.
// The factors are those of the SI and of the international yard and pound.
func unitOf(name string) (unit, bool) {
	measure := func(name string, dimension uint8, factor float64) (unit, bool) {
		return unit{name: name, kind: Measure, dimension: dimension, factor: factor}, true
	}
	switch name {
	case "percent", "%", "pct", "prozent", "percentage", "٪", "％":
		return unit{name: "percent", kind: Share, factor: 0.01}, true
	case "permille", "promille", "‰":
		return unit{name: "permille", kind: Share, factor: 0.001}, true

	case "metre", "metres", "meter", "meters", "metern", "metros", "m":
		return measure("metre", length, 1)
	case "km", "kilometre", "kilometres", "kilometer", "kilometers", "kilometern", "kilometros", "公里": //nolint:misspell // Spanish
		return measure("km", length, 1e3)
	case "cm", "centimetre", "centimetres", "centimeter", "centimeters":
		return measure("cm", length, 1e-2)
	case "mm", "millimetre", "millimetres", "millimeter", "millimeters":
		return measure("mm", length, 1e-3)
	case "inch", "inches", "in":
		return measure("inch", length, 0.0254)
	case "foot", "feet", "ft":
		return measure("foot", length, 0.3048)
	case "yard", "yards", "yd":
		return measure("yard", length, 0.9144)
	case "mile", "miles", "mi":
		return measure("mile", length, 1609.344)
	case "kg", "kilogram", "kilograms", "kilogramme", "kilo", "kilos":
		return measure("kg", mass, 1)
	case "g", "gram", "grams", "gramm", "grammes", "gramos":
		return measure("g", mass, 1e-3)
	case "mg", "milligram", "milligrams":
		return measure("mg", mass, 1e-6)
	case "mcg", "µg", "μg", "ug", "microgram", "micrograms":
		return measure("mcg", mass, 1e-9)
	case "tonne", "tonnes", "tonnen", "toneladas", "ton", "tons", "t":
		return measure("tonne", mass, 1e3)
	case "lb", "lbs":
		return measure("lb", mass, 0.45359237)
	case "ounce", "ounces", "oz":
		return measure("ounce", mass, 0.028349523125)
	case "l", "litre", "litres", "liter", "liters", "litern", "litros":
		return measure("litre", volume, 1)
	case "ml", "millilitre", "millilitres", "milliliter", "milliliters":
		return measure("ml", volume, 1e-3)
	case "cl", "centilitre", "centilitres":
		return measure("cl", volume, 1e-2)
	case "gallon", "gallons", "gal":
		return measure("gallon", volume, 3.785411784)
	case "hectare", "hectares", "ha", "hektar":
		return measure("hectare", area, 1e4)
	case "acre", "acres":
		return measure("acre", area, 4046.8564224)
	case "mph":
		return measure("mph", speed, 0.44704)
	case "kph", "kmh", "km/h":
		return measure("km/h", speed, 1/3.6)
	case "knot", "knots":
		return measure("knot", speed, 1.852/3.6)
	case "byte", "bytes":
		return measure("byte", data, 1)
	case "kb", "kilobyte", "kilobytes":
		return measure("KB", data, 1e3)
	case "mb", "megabyte", "megabytes":
		return measure("MB", data, 1e6)
	case "gb", "gigabyte", "gigabytes":
		return measure("GB", data, 1e9)
	case "tb", "terabyte", "terabytes":
		return measure("TB", data, 1e12)
	case "joule", "joules":
		return measure("joule", energy, 1)
	case "kcal", "calories":
		return measure("kcal", energy, 4184)
	case "kj", "kilojoule", "kilojoules":
		return measure("kJ", energy, 1e3)
	case "wh":
		return measure("Wh", energy, 3.6e3)
	case "kwh":
		return measure("kWh", energy, 3.6e6)
	case "mwh":
		return measure("MWh", energy, 3.6e9)
	case "gwh":
		return measure("GWh", energy, 3.6e12)
	case "watt", "watts", "w":
		return measure("watt", power, 1)
	case "kw", "kilowatt", "kilowatts":
		return measure("kW", power, 1e3)
	case "mw", "megawatt", "megawatts":
		return measure("MW", power, 1e6)
	case "gw", "gigawatt", "gigawatts":
		return measure("GW", power, 1e9)
	case "horsepower", "hp":
		return measure("hp", power, 745.6998715822702)
	case "hz", "hertz":
		return measure("Hz", frequency, 1)
	case "khz":
		return measure("kHz", frequency, 1e3)
	case "mhz":
		return measure("MHz", frequency, 1e6)
	case "ghz":
		return measure("GHz", frequency, 1e9)
	case "pa", "pascal":
		return measure("Pa", pressure, 1)
	case "hpa":
		return measure("hPa", pressure, 1e2)
	case "bar":
		return measure("bar", pressure, 1e5)
	case "psi":
		return measure("psi", pressure, 6894.757293168)
	case "celsius", "°c":
		return measure("°C", temperature, 1)
	case "fahrenheit", "°f":
		return measure("°F", temperature, 5.0/9)
	case "degree", "degrees", "°":
		return measure("degree", temperature, 1)
	}
	if u, ok := durationUnit(name); ok {
		return u, true
	}
	return currencyOf(name)
}

func durationUnit(name string) (unit, bool) {
	duration := func(name string, factor float64) (unit, bool) {
		return unit{name: name, kind: Duration, factor: factor, calendar: factor >= secondsPerMonth}, true
	}
	switch name {
	case "second", "seconds", "sec", "secs", "s", "sekunden", "segundos", "secondes", "秒":
		return duration("second", 1)
	case "minute", "minutes", "min", "mins", "minuten", "minutos", "分钟", "分":
		return duration("minute", 60)
	case "hour", "hours", "hr", "hrs", "h", "stunde", "stunden", "heure", "heures", "hora", "horas", "小时", "時間":
		return duration("hour", 3600)
	case "day", "days", "tag", "tage", "tagen", "jour", "jours", "día", "días", "dia", "dias", "天", "日間":
		return duration("day", 86400)
	case "night", "nights":
		return unit{}, false
	case "week", "weeks", "wk", "wks", "woche", "wochen", "semaine", "semaines", "semana", "semanas":
		return duration("week", 7*86400)
	case "fortnight", "fortnights":
		return duration("fortnight", 14*86400)
	case "month", "months", "monat", "monate", "monaten", "mois", "mes", "meses":
		return duration("month", secondsPerMonth)
	case "year", "years", "yr", "yrs", "jahr", "jahre", "jahren", "an", "ans", "année", "années", "año", "años", "ano", "anos":
		return duration("year", secondsPerYear)
	case "decade", "decades":
		return duration("decade", 10*secondsPerYear)
	case "millennium", "millennia":
		return duration("millennium", 1000*secondsPerYear)
	case "century", "centuries":
		return duration("century", 100*secondsPerYear)
	}
	return unit{}, false
}

// currencyOf returns the currency with a sign, code or name in lower case. The dollar and
// the pound without a country are those of the United States and the United Kingdom.
func currencyOf(name string) (unit, bool) {
	money := func(code string, factor float64) (unit, bool) {
		return unit{name: code, kind: Money, factor: factor}, true
	}
	switch name {
	case "$", "dollar", "dollars", "usd", "us$", "美元":
		return money("USD", 1)
	case "€", "euro", "euros", "eur", "欧元":
		return money("EUR", 1)
	case "£", "pound", "pounds", "gbp", "quid":
		return money("GBP", 1)
	case "¥", "yen", "jpy", "円":
		return money("JPY", 1)
	case "元", "yuan", "cny", "rmb":
		return money("CNY", 1)
	case "₹", "rupee", "rupees", "inr":
		return money("INR", 1)
	case "chf", "franc", "francs", "franken":
		return money("CHF", 1)
	case "cad", "c$", "ca$":
		return money("CAD", 1)
	case "aud", "a$", "au$":
		return money("AUD", 1)
	case "nzd", "nz$":
		return money("NZD", 1)
	case "hkd", "hk$":
		return money("HKD", 1)
	case "sgd", "s$":
		return money("SGD", 1)
	case "brl", "r$":
		return money("BRL", 1)
	case "mxn", "mx$":
		return money("MXN", 1)
	case "crown", "crowns":
		return money("crown", 1)
	case "krone", "kroner":
		return money("krone", 1)
	case "krona", "kronor", "sek":
		return money("SEK", 1)
	case "guilder", "guilders":
		return money("guilder", 1)
	case "peso", "pesos":
		return money("peso", 1)
	case "rouble", "roubles", "ruble", "rubles":
		return money("RUB", 1)
	case "zloty", "pln":
		return money("PLN", 1)
	case "cent", "cents":
		return money("cent", 0.01)
	case "penny", "pence":
		return money("GBP", 0.01)
	}
	return unit{}, false
}
