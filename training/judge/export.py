"""export.py OUT FILE: write the averaged weights of OUT/state.pt, or of the export --from FILE.

The file is for the program, and for train.py --init: safetensors, matrices in int8 with a scale for each row, 33 MB. With --full
FILE all weights are written too, in float32 under the names of BertModel. With --mean FILE, the mean with the weights in that
export is written, which is often better than either of two runs that start from the same weights. With --golden FILE the outputs in the test cases of the
program are replaced by those of the rounded weights. With --changes, FILE gets only the differences from base.pt, in 2 bits each,
for train.py --init: 7 MB of MPNet instead of 460.
"""
import argparse
import io
import json
import sys

import numpy as np
import torch
import zstandard
from safetensors.numpy import load_file, save_file

from model import MAX_PASSAGE, Batch, Judge, bert_name, encode, encode_claims, tokenizer


def write(net, path):
    """All weights by their names in Judge: matrices of tokens and layers as int8 with a scale for each row, the rest as float32."""
    arrays = {}
    for name, parameter in net.named_parameters():
        value = parameter.detach().cpu().float().numpy()
        if value.ndim == 2 and name.startswith(("words", "layers")):
            scale = np.maximum(abs(value).max(1), 1e-12) / 127
            arrays[name.removesuffix("weight") + "scale"] = scale.astype(np.float32)
            value = np.round(value / scale[:, None]).astype(np.int8)
        arrays[name] = value
    save_file(arrays, path)


# The quantizer of four levels with the least error for a normal distribution (Max, 1960): the threshold between the two levels of one
# sign, and these, in standard deviations.
THRESHOLD, LOW, HIGH = 0.9816, 0.4528, 1.510


def write_changes(net, base, path):
    arrays = {}
    for name, parameter in net.trained().items():
        value = parameter.detach().cpu().numpy()
        if value.ndim == 2 and name.startswith("layers"):
            change = value - base[bert_name(name)].numpy()
            scale = change.std(1, keepdims=True)
            code = (2 * (change >= 0) + (abs(change) > THRESHOLD * scale)).astype(np.uint8)
            arrays[name], arrays[name + ".scale"] = sum(code[:, k::4] << 2 * k for k in range(4)), scale.astype(np.float16)
        else:
            arrays[name] = value.astype(np.float16)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    with open(path, "wb") as f:
        f.write(zstandard.ZstdCompressor(level=19).compress(buffer.getvalue()))


def load_changes(net, path):
    """Adds what write_changes wrote to the weights of a new Judge."""
    with open(path, "rb") as f, np.load(io.BytesIO(zstandard.ZstdDecompressor().decompress(f.read()))) as arrays, torch.no_grad():
        for name, parameter in net.trained().items():
            if name + ".scale" in arrays:
                code = np.stack([arrays[name] >> 2 * k & 3 for k in range(4)], 2).reshape(parameter.shape)
                levels = np.array([-LOW, -HIGH, LOW, HIGH], np.float32)
                parameter.add_(torch.from_numpy(levels[code] * arrays[name + ".scale"].astype(np.float32)))
            elif name in arrays:
                parameter.copy_(torch.from_numpy(arrays[name].astype(np.float32)))


def load(net, path):
    """Sets the weights of a new Judge."""
    if path.endswith(".zst"):
        load_changes(net, path)
        return
    arrays = load_file(path)
    with torch.no_grad():
        for name, parameter in net.trained().items():
            value, scale = arrays[name].astype(np.float32), arrays.get(name.removesuffix("weight") + "scale")
            parameter.copy_(torch.from_numpy(value if scale is None else value * scale[:, None]))


@torch.no_grad()
def update_golden(net, tok, path):
    with open(path) as f:
        cases = json.load(f)
    for case in cases:
        parts = [*encode(tok, [case["passage"]], MAX_PASSAGE), *encode_claims(tok, case["claims"])]
        batch = Batch([(parts,)])
        logits, tokens = net(batch)
        case["logits"] = [[round(x, 4) for x in row] for row in logits.tolist()]
        case["wrong"] = [[round(x, 4) for x in tokens[batch.claim.reshape(-1) == k].tolist()] for k in range(len(logits))]
    with open(path, "w") as f:
        json.dump(cases, f, ensure_ascii=False)
        f.write("\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("file")
    parser.add_argument("--from", dest="source")
    parser.add_argument("--mean")
    parser.add_argument("--full")
    parser.add_argument("--golden")
    parser.add_argument("--changes", action="store_true")
    args = parser.parse_args()
    net = Judge(torch.load(args.out + "/encoder/base.pt"))
    if args.source:
        load(net, args.source)
    else:
        net.load_state_dict(torch.load(args.out + "/state.pt", map_location="cpu")["average"], strict=False)
    if args.mean:
        other = Judge(torch.load(args.out + "/encoder/base.pt"))
        load(other, args.mean)
        with torch.no_grad():
            for name, p in net.trained().items():
                p.lerp_(other.trained()[name], 0.5)
    if args.changes:
        write_changes(net, torch.load(args.out + "/encoder/base.pt"), args.file)
        sys.exit()
    write(net, args.file)
    if args.full:
        save_file({bert_name(name): p.detach().contiguous().numpy() for name, p in net.named_parameters()}, args.full)
    if args.golden:
        load(net, args.file)
        update_golden(net, tokenizer(args.out + "/encoder"), args.golden)
