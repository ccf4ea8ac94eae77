"""export.py OUT FILE: write the averaged weights of OUT/state.pt, or of the export --from FILE.

The file is for the program, and for train.py --init: safetensors, matrices in int8 with a scale for each row, 33 MB. With --full
FILE all weights are written too, in float32 under the names of BertModel.
"""
import argparse

import numpy as np
import torch
from safetensors.numpy import load_file, save_file

from model import Judge, bert_name


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


def load(net, path):
    """Sets the weights of a new Judge."""
    arrays = load_file(path)
    with torch.no_grad():
        for name, parameter in net.trained().items():
            value, scale = arrays[name].astype(np.float32), arrays.get(name.removesuffix("weight") + "scale")
            parameter.copy_(torch.from_numpy(value if scale is None else value * scale[:, None]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("file")
    parser.add_argument("--from", dest="source")
    parser.add_argument("--full")
    args = parser.parse_args()
    net = Judge(torch.load(args.out + "/encoder/base.pt"))
    if args.source:
        load(net, args.source)
    else:
        net.load_state_dict(torch.load(args.out + "/state.pt", map_location="cpu")["average"], strict=False)
    write(net, args.file)
    if args.full:
        save_file({bert_name(name): p.detach().contiguous().numpy() for name, p in net.named_parameters()}, args.full)
