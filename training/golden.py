#!/usr/bin/env python3
"""Writes a tiny model with random weights and its outputs in PyTorch, for the tests of internal/encoder.

float32.safetensors and int8.safetensors are the model. cases.json has windows with
claims, their token ids, and the logits for the original and ("rounded") for the
quantized weights.
"""

import argparse
import copy
import json
from pathlib import Path

import torch
from safetensors import safe_open
from tokenizers import Tokenizer

import export
from grounding import layout
from grounding.model import Grounding, batch

CONFIG = {
    "hidden_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 40,
    "max_position_embeddings": layout.MAX_WINDOW + layout.MAX_CLAIM + 3,
    "layer_norm_eps": 1e-12,
    "hidden_act": "gelu",
}
SPECIALS = {0: "[PAD]", 100: "[UNK]", layout.CLS: "[CLS]", layout.SEP: "[SEP]", 103: "[MASK]"}

REPORT = (
    "The committee directed the agency to publish its findings by March 2021. Three of the five members voted "
    "in favour, and the chair abstained. The report costs about $4.5 million a year."
)
CASES = [
    ("plain", REPORT, ["The committee directs the agency.", "All five members voted in favour.", "It costs $4.5 million."]),
    ("one claim", "Cats sleep.", ["Cats are sleeping."]),
    ("no claims", "Cats sleep.", []),
    ("empty window", "", ["Something is claimed.", ""]),
    ("empty claims", REPORT, ["", "   ", "\n"]),
    ("accents", "Café Zoë, naïve façade; Ångström — São Paulo’s “résumé”.", ["CAFE ZOE", "Cafe\u0301 naïve", "A NAÏVE Ångström resume\u0301"]),
    ("Chinese, Japanese, Korean", "北京是中国的首都。東京は日本の首都です。서울", ["北京是日本的首都", "東京 东京", "서울은 수도"]),
    ("emoji and others", "Great 😀👍🏽 flags 🇩🇪 — Привет мир, مرحبا, हिन्दी", ["😀 flags", "привет", "\u200bzero\u00a0width\u2028line", "\x00\ufffd"]),
    ("punctuation", "... !? -- (a) [b] {c} #1 ##2", ["...", "!?!?", "##2 #1", "[SEP] [CLS] [UNK]", "it's a-b/c_d"]),
    ("beginnings", "directed interest working runs run directory", ["directs direct direction interests works run running dire directly"]),
    ("one long word", "a" * 300, ["a" * 99, "b" * 150]),
    ("long window and claim", REPORT * 9, [REPORT * 4, "The agency abstained."]),
    ("many claims", REPORT, [f"Member {i} voted {'for' if i % 2 else 'against'} the report of {2000 + i}." for i in range(20)]),
]
TEXTS = [REPORT, "", "Café 北京 😀", REPORT * 9]


# Arbitrary coefficients, for the tests of the parser.
FORMULA = json.dumps(
    {"bias": -0.25, "words": 1, "support": 0.5, "contradiction": 0.1, "worst": 0, "margin": 0.02, "most": 8, "windows": 3, "room": 200, "packed": 160}
)


def small_tokenizer(tokenizer_json):
    """Returns the tokenizer with a small vocabulary: letters and short words of the cases."""
    full = Tokenizer.from_str(tokenizer_json)
    known = full.get_vocab()
    texts = TEXTS + [t for _, w, claims in CASES for t in (w, *claims)]
    words = {p for t in texts for p in full.encode(t, add_special_tokens=False).tokens}
    letters = [f"{p}{c}" for c in "abcdefghijklmnopqrstuvwxyz0123456789" for p in ("", "##")]
    endings = ["##ing", "##ed", "##s", "##ly", "##ion", "##er", "direct", "interest", "work"]
    # Without long words, texts are split into more tokens.
    pieces = sorted({p for p in letters + endings if p in known} | {p for p in words if len(p) < 8 or p.startswith("##")})
    vocabulary, i = {}, 0
    for p in pieces:
        if p in SPECIALS.values():
            continue
        while i in SPECIALS:
            i += 1
        vocabulary[p] = i
        i += 1
    vocabulary.update({p: i for i, p in SPECIALS.items()})
    file = json.loads(tokenizer_json)
    file["model"]["vocab"] = dict(sorted(vocabulary.items(), key=lambda item: item[1]))
    return json.dumps(file, ensure_ascii=False, separators=(",", ":")).encode()


def network(size):
    """Returns a network with random weights, some of whose layer norms produce large values."""
    torch.manual_seed(7)
    net = Grounding(CONFIG | {"vocab_size": size}).eval()
    with torch.no_grad():
        for name, p in net.named_parameters():
            if "norm" in name:
                p.copy_(1 + torch.randn_like(p) / 5 if name.endswith("weight") else torch.randn_like(p) / 10)
                p[3] *= 6
            elif name.split(".")[0] in ("word", "position", "mark"):
                p.copy_(torch.randn_like(p) / 2)
            elif p.ndim > 1:
                p.copy_(torch.randn_like(p) / p.shape[1] ** 0.5)
    return net


def dequantized(net, path):
    """Returns a copy of net with the weights of an int8 file."""
    with safe_open(path, "pt") as f:
        file = {k: f.get_tensor(k).float() for k in f.keys()}
    state = {}
    for name in net.state_dict():
        w = file[name]
        if f"{name}.scale" in file:
            w = w * file[f"{name}.scale"][:, None]
        smooth = file.get(f"{name.removesuffix('.weight')}.smooth")
        state[name] = w if smooth is None else w * smooth
    result = copy.deepcopy(net)
    result.load_state_dict(state)
    return result


def results(net, sequence):
    """Returns the logits of the claims and of their tokens without [SEP]."""
    if not sequence.claims:
        return [], []
    with torch.no_grad():
        logits, tokens, _ = net(*batch([sequence]))
    ends = [b - a - 1 for a, b in sequence.claims]
    return rounded(logits), [rounded(t[:n]) for t, n in zip(tokens, ends, strict=True)]


def rounded(values):
    """Returns a tensor as lists of numbers with 6 decimals."""
    return json.loads(json.dumps(values.tolist()), parse_float=lambda s: round(float(s), 6))


def embedding(net, sequence):
    """Returns the normalized mean of the states of a window."""
    states = []
    hook = net.blocks[-1].register_forward_hook(lambda *args: states.append(args[2]))
    results(net, sequence)
    hook.remove()
    x = states[0][0, : sequence.claims[0][0]].mean(0)
    return rounded(x / x.norm())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--init", type=Path, required=True, help="directory with the tokenizer.json of an uncased BERT")
    parser.add_argument("--out", type=Path, required=True, help="output directory")
    args = parser.parse_args()
    text = small_tokenizer((args.init / "tokenizer.json").read_text())
    tokenizer = Tokenizer.from_str(text.decode())
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokenizer.encode_special_tokens = True  # "[SEP]" in a text is not a special token, as in internal/encoder
    vocabulary = layout.Vocabulary(tokenizer)
    net = network(len(vocabulary.piece))
    args.out.mkdir(parents=True, exist_ok=True)
    for precision in ("float32", "int8"):
        export.export(args.out / f"{precision}.safetensors", net, text, vocabulary, precision, FORMULA)
    quantized = dequantized(net, args.out / "int8.safetensors")

    def encode(t, limit):
        e = tokenizer.encode(t, add_special_tokens=False)
        return e.ids[:limit], [[len(t[:i].encode()) for i in o] for o in e.offsets[:limit]]

    cases = []
    for name, window, claims in CASES:
        encoded = [encode(c, layout.MAX_CLAIM) for c in claims]
        s = layout.sequence(vocabulary, encode(window, layout.MAX_WINDOW)[0], [ids for ids, _ in encoded])
        case = {"name": name, "window": window, "claims": claims, "ids": s.ids, "positions": s.positions, "types": s.types}
        case["ends"] = [b for _, b in s.claims]
        case["offsets"] = [offsets for _, offsets in encoded]
        case["logits"], case["tokens"] = results(net, s)
        case["rounded_logits"], case["rounded_tokens"] = results(quantized, s)
        cases.append(case)
    texts = []
    for t in TEXTS:
        s = layout.sequence(vocabulary, encode(t, layout.MAX_WINDOW)[0], [[]])
        texts.append({"text": t, "embedding": embedding(net, s)})
    lines = [json.dumps(c, ensure_ascii=True, separators=(",", ":")) for c in cases]
    embeddings = [json.dumps(t, ensure_ascii=True, separators=(",", ":")) for t in texts]
    out = '{"cases":[\n' + ",\n".join(lines) + '\n],"texts":[\n' + ",\n".join(embeddings) + "\n]}\n"
    (args.out / "cases.json").write_text(out)


if __name__ == "__main__":
    main()
