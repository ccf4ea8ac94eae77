"""export.py OUT FILE: write the averaged weights of OUT/state.pt, or of the export --from FILE.

A file with the extension .safetensors is for the program: matrices in int8 with a scale for each row, 33 MB. Any other has the
rounded differences to the base encoder, about 20 MB, with which train.py --init starts on another machine. With --full
FILE.safetensors all weights are written too, in float32 under the names of BertModel.
"""
import argparse
import io

import numpy as np
import torch
import zstandard

from model import Judge, bert_name


def write(net, base, path):
    """Matrices as int8 with a scale for each row, vectors as float16."""
    arrays = {}
    for name, parameter in net.trained().items():
        value = parameter.detach().cpu().float()
        if name.startswith("layers"):
            value = value - base[bert_name(name)]
        value = value.numpy()
        if value.ndim == 2:
            scale = np.maximum(abs(value).max(1, keepdims=True), 1e-12) / 127
            arrays[name + ".scale"] = scale.astype(np.float32)
            arrays[name] = np.round(value / scale).astype(np.int8)
        else:
            arrays[name] = value.astype(np.float16)
    raw = io.BytesIO()
    np.savez(raw, **arrays)
    with open(path, "wb") as f:
        f.write(zstandard.ZstdCompressor(level=19).compress(raw.getvalue()))


def ship(net, path):
    """All weights by their names in Judge: matrices of tokens and layers as int8 with a scale for each row, the rest as float32."""
    from safetensors.numpy import save_file

    arrays = {}
    for name, parameter in net.named_parameters():
        value = parameter.detach().cpu().float().numpy()
        if value.ndim == 2 and name.startswith(("words", "layers")):
            scale = np.maximum(abs(value).max(1), 1e-12) / 127
            arrays[name.removesuffix("weight") + "scale"] = scale.astype(np.float32)
            value = np.round(value / scale[:, None]).astype(np.int8)
        arrays[name] = value
    save_file(arrays, path)


def load(net, path):
    """Sets the weights of a new Judge, or adds the differences to them."""
    if path.endswith(".safetensors"):
        from safetensors.numpy import load_file

        arrays = load_file(path)
        with torch.no_grad():
            for name, parameter in net.trained().items():
                value, scale = arrays[name].astype(np.float32), arrays.get(name.removesuffix("weight") + "scale")
                parameter.copy_(torch.from_numpy(value if scale is None else value * scale[:, None]))
        return
    with open(path, "rb") as f:
        arrays = np.load(io.BytesIO(zstandard.ZstdDecompressor().decompress(f.read())))
    with torch.no_grad():
        for name, parameter in net.trained().items():
            value = arrays[name].astype(np.float32) * (arrays[name + ".scale"] if name + ".scale" in arrays else 1)
            if name.startswith("head"):
                parameter.zero_()
            parameter.add_(torch.from_numpy(value).to(parameter.device))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("file")
    parser.add_argument("--from", dest="source")
    parser.add_argument("--full")
    args = parser.parse_args()
    base = torch.load(args.out + "/encoder/base.pt")
    net = Judge(base)
    if args.source:
        load(net, args.source)
    else:
        net.load_state_dict(torch.load(args.out + "/state.pt", map_location="cpu")["average"], strict=False)
    if args.file.endswith(".safetensors"):
        ship(net, args.file)
    else:
        write(net, base, args.file)
    if args.full:
        from safetensors.torch import save_file

        save_file({bert_name(name): p.detach().contiguous() for name, p in net.named_parameters()}, args.full)
