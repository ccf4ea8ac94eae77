#!/usr/bin/env python3
"""Exports trained weights as the model file that ragfaith reads.

The output is a safetensors file with the network, the tokenizer, the constants of the
layout and, with --verdict, the coefficients of the verdict. In int8, matrices and word
embeddings are quantized to 8 bits with one scale per row; small tensors and those
used once per claim are not. The output is reproducible.
"""

import argparse
import hashlib
import json
import os
import random
import struct
import sys
from pathlib import Path

import numpy as np
import torch

from grounding import layout
from grounding.model import Grounding, batch

FORMAT, VERSION = "ragfaith-grounding", "1"
SIZES = (
    "vocab_size",
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
    "max_position_embeddings",
    "layer_norm_eps",
    "hidden_act",
)
DTYPES = {np.dtype(np.float32): "F32", np.dtype(np.float16): "F16", np.dtype(np.int8): "I8", np.dtype(np.uint8): "U8"}
LAYOUT = {
    "max_window": layout.MAX_WINDOW,
    "max_claim": layout.MAX_CLAIM,
    "akin_prefix": layout.MIN_PREFIX,
    "cls": layout.CLS,
    "sep": layout.SEP,
    "types": layout.TYPES,
}
SMOOTHED = ("qkv", "up")  # layers whose input is the output of a layer norm


def quantize(weight):
    """Quantizes a matrix to int8. Returns the values and the scale of each row."""
    scale = np.abs(weight).max(1) / np.float32(127)
    steps = np.divide(weight, scale[:, None], out=np.zeros_like(weight), where=scale[:, None] > 0)
    # The scale of a row of denormal numbers is so inexact that steps can exceed 127.
    return np.clip(np.rint(steps), -127, 127).astype(np.int8), scale.astype(np.float32)


def max_inputs(net, vocabulary, texts=6):
    """Returns the maximum absolute inputs of the SMOOTHED layers, measured on random words.

    Which inputs are large depends on the model much more than on the text.
    """
    rng = random.Random(1)
    words = [i for i, p in enumerate(vocabulary.piece) if p and not p.startswith("[")]
    sample = lambda n: [rng.choice(words) for _ in range(n)]
    inputs = batch([layout.sequence(vocabulary, sample(100), [sample(30) for _ in range(3)]) for _ in range(texts)])
    present = inputs[3] > 0
    found, hooks = {}, []
    for i, block in enumerate(net.blocks):
        for name in SMOOTHED:
            record = lambda _, args, key=(i, name): found.__setitem__(key, args[0][present].abs().amax(0).numpy())
            hooks.append(getattr(block, name).register_forward_pre_hook(record))
    with torch.no_grad():
        net(*inputs)
    for h in hooks:
        h.remove()
    return found


def smoothing(weight, max_input):
    """Returns the factors of the inputs of a layer that balance the quantization errors of inputs and weights.

    Without them, a few large inputs would determine the scale of the whole row
    (Xiao et al., 2023, "SmoothQuant", with alpha = 0.5). Factors are at most 1, and 1
    for inputs of median size.
    """
    smooth = np.sqrt(np.maximum(np.abs(weight).max(0), 1e-5) / np.maximum(max_input, 1e-3))
    smooth /= np.sort(smooth)[len(smooth) // 2]
    return np.minimum(smooth, 1).astype(np.float32)


def tensors(net, vocabulary, precision):
    """Returns the tensors of the file by name."""
    state = {k: v.float().numpy() for k, v in net.state_dict().items()}
    if precision == "float32":
        return state
    out = {}
    inputs = max_inputs(net, vocabulary)
    for name, w in state.items():
        module, _, kind = name.rpartition(".")
        if name in ("position.weight", "hidden.weight"):
            out[name] = w.astype(np.float16)
            continue
        if kind != "weight" or w.ndim != 2 or not (module == "word" or module.startswith("blocks.")):
            out[name] = w
            continue
        _, _, layer = module.rpartition(".")
        if layer in SMOOTHED:
            smooth = smoothing(w, inputs[int(module.split(".")[1]), layer])
            out[f"{module}.smooth"] = smooth
            w = w / smooth
        out[name], out[f"{name}.scale"] = quantize(w)
    return out


def write(path, metadata, items):
    """Writes a safetensors file atomically. Larger types come first, so that all tensors are aligned."""
    order = sorted(items, key=lambda n: (-items[n].dtype.itemsize, items[n].dtype.char, n))
    blobs = [np.ascontiguousarray(items[n]).tobytes() for n in order]
    digest = hashlib.sha256()
    for key in ("config", "layout", "verdict"):
        digest.update(metadata.get(key, "").encode() + b"\0")
    header, offset = {"__metadata__": metadata}, 0
    for n, b in zip(order, blobs, strict=True):
        header[n] = {"dtype": DTYPES[items[n].dtype], "shape": list(items[n].shape), "data_offsets": [offset, offset + len(b)]}
        offset += len(b)
        digest.update(b)
    metadata["sha256"] = digest.hexdigest()
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    new = Path(f"{path}.new")
    with new.open("wb") as f:
        for b in (struct.pack("<Q", len(text)), text, *blobs):
            f.write(b)
    os.replace(new, path)


def export(path, net, tokenizer_json, vocabulary, precision="int8", verdict=None):
    """Writes the model file. verdict is the JSON text of the coefficients."""
    compact = lambda value: json.dumps(value, separators=(",", ":"))
    metadata = {
        "format": FORMAT,
        "version": VERSION,
        "config": compact({k: net.config[k] for k in SIZES if k in net.config}),
        "layout": compact(LAYOUT),
    }
    if verdict is not None:
        metadata["verdict"] = compact(json.loads(verdict))
    items = tensors(net.eval(), vocabulary, precision)
    if bad := [n for n, w in items.items() if not np.isfinite(w.astype(np.float32)).all()]:
        raise ValueError(f"{bad[0]}: not all values are finite")
    write(path, metadata, items | {"tokenizer": np.frombuffer(tokenizer_json, np.uint8)})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=Path, required=True, help="weights written by train.py")
    parser.add_argument("--init", type=Path, required=True, help="directory with the tokenizer.json used in training")
    parser.add_argument("--out", type=Path, required=True, help="output file")
    parser.add_argument("--precision", choices=("int8", "float32"), default="int8")
    parser.add_argument("--verdict", type=Path, help="JSON file with the coefficients of the verdict, from fit.py")
    args = parser.parse_args()
    from tokenizers import Tokenizer

    path = args.init / "tokenizer.json"
    try:
        vocabulary = layout.Vocabulary(Tokenizer.from_file(str(path)))
        verdict = args.verdict.read_text() if args.verdict else None
        export(args.out, Grounding.load(args.weights), path.read_bytes(), vocabulary, args.precision, verdict)
    except (OSError, ValueError) as e:
        sys.exit(f"{parser.prog}: {e}")
    print(f"{args.out}: {args.out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
