package llm

import (
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

//go:embed prices.json
var priceTable []byte

type prices struct {
	Noted  string                `json:"noted"`
	Batch  float64               `json:"batch"`
	Models map[string][2]float64 `json:"models"`
}

func readPrices() (p prices) {
	_ = json.Unmarshal(priceTable, &p) // a test reads it
	return p
}

// PricesNoted is the day on which the prices of Price were looked up.
func PricesNoted() string { return readPrices().Noted }

// BatchFactor is what tokens in a batch cost, as a part of Price.
func BatchFactor() float64 { return readPrices().Batch }

// PricedModels are the names that Price knows, in order.
func PricedModels() []string { return slices.Sorted(maps.Keys(readPrices().Models)) }

// Price is the list price of a model in USD per million tokens of prompt and of
// reply. A name is found as it is, without what stands before its last slash, or
// by the longest known name that it continues with a dash, a colon or an @, as
// dated versions do. Meta's models are open; theirs is the price of one large host.
func Price(model string) (in, out float64, ok bool) {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	best := ""
	known := readPrices().Models
	for k := range known {
		rest, is := strings.CutPrefix(name, k)
		if is && len(k) > len(best) && (rest == "" || strings.ContainsRune("-:@", rune(rest[0]))) {
			best = k
		}
	}
	p, ok := known[best]
	return p[0], p[1], ok
}
