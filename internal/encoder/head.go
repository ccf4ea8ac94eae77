package encoder

import (
	"fmt"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// pooling selects which hidden values a head reads.
type pooling int

const (
	firstToken pooling = iota
	meanOfTokens
	eachToken
)

// head maps hidden values to one logit per label. It computes
//
//	out(norm(act(dense(pooled hidden values))))
//
// That of a sentence encoder returns the pooled hidden values.
type head struct {
	decoder *t5Decoder // computes the logits instead; nil except for T5
	pooling pooling
	width   int
	dense   *dense // optional
	act     kernel.Activation
	norm    kernel.Norm    // a nil gain means none
	out     *kernel.Linear // float32 even if the network is int8; nil for sentence encoders
}

// poolRows returns the pooled hidden values, in memory owned by p, and their number of rows. hidden
// is the output of the network; for firstToken, p.first must have been set.
func (p *pass) poolRows(kind pooling, hidden []float32, width int) ([]float32, int) {
	if kind != meanOfTokens {
		return hidden, len(hidden) / width
	}
	pooled := grow(&p.scratch[0], len(p.lengths)*width)
	sums := grow(&p.sums, width)
	for s, start := range p.starts {
		dst := pooled[s*width : (s+1)*width]
		rows := hidden[start*width : (start+p.lengths[s])*width]
		clear(sums)
		for ; len(rows) > 0; rows = rows[width:] {
			for i, v := range rows[:width] {
				sums[i] += float64(v)
			}
		}
		for i, v := range sums {
			dst[i] = float32(v / float64(p.lengths[s]))
		}
	}
	return pooled, len(p.lengths)
}

// run returns the logits, one row per sequence or token, in memory owned by p.
func (h *head) run(p *pass, hidden []float32) []float32 {
	if h.decoder != nil {
		return h.decoder.run(p, hidden)
	}
	x, rows := p.poolRows(h.pooling, hidden, h.width)
	if h.out == nil {
		return x
	}
	if h.dense != nil {
		dense := grow(&p.scratch[1], rows*h.width)
		p.pool.Apply(h.dense.Linear, dense, x, h.act)
		x = dense
		if h.norm.Gain != nil {
			p.pool.Norm(&h.norm, x, x, nil)
		}
	}
	logits := grow(&p.scratch[2], rows*h.out.Out)
	p.pool.Apply(h.out, logits, x, kernel.None)
	return logits
}

// head loads the classification head of a family. named is Options.Head.
func (w *weights) head(c *config, family string, kind Kind, width, labels int, named string) (*head, error) {
	h := &head{width: width}
	dense, out, bias := "", "classifier", true
	switch {
	case named != "":
		out = named
		fallthrough
	case family == "bert":
		dense, h.act = w.prefix+"pooler.dense", kernel.Tanh
	case family == "roberta", family == "xlm-roberta":
		dense, out, h.act = "classifier.dense", "classifier.out_proj", kernel.Tanh
	case family == "deberta-v2":
		dense, h.act = "pooler.dense", c.activation("pooler_hidden_act")
		if size := c.size("pooler_hidden_size", width, maxWidth); size != width {
			c.fail("pooler_hidden_size", "%d is not supported with hidden_size %d", size, width)
		}
	case family == "modernbert":
		dense, bias, h.act = "head.dense", c.boolean("classifier_bias", false), c.activation("classifier_activation")
		if kind == Tokens {
			h.pooling = eachToken
		} else if c.oneOf("classifier_pooling", "cls", "cls", "mean") == "mean" {
			h.pooling = meanOfTokens
		}
	case family == "t5":
		out = "t5.classifier"
	}
	if c.err != nil {
		return nil, c.err
	}
	w.prefix = ""
	if dense != "" {
		h.dense = w.linear(width, w.part(dense, width, width, bias))
	}
	if family == "modernbert" {
		h.norm = w.norm("head.norm", width, false)
	}
	if t := w.set.Tensor(out + ".weight"); t != nil && len(t.Shape) == 2 && t.Shape[0] != labels {
		return nil, fmt.Errorf("%s: tensor %q has %d labels, %s has %d", w.dir, t.Name, t.Shape[0], configFile, labels)
	}
	h.out = w.float32Linear(width, w.part(out, labels, width, true))
	return h, w.err
}
