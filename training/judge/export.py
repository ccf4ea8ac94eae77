"""export.py OUT FILE: write the averaged weights of OUT/state.pt.

The file is for the program, and for train.py --init: safetensors, matrices with four bits for a weight, 45 MB. If the run was started
with --init, give it here, too: its frozen layers are taken from there. With --golden FILE the outputs in the test cases of the program
are replaced by those of the rounded weights.
"""
import argparse
import json

import numpy as np
import torch
from safetensors.numpy import load_file, save_file

from evaluate import WINDOW
from model import Batch, Judge, batches_of, encode, encode_claims, load_average, tokenizer

BLOCK = 32  # weights of a row with a common step
LEVELS, STEPS = 7, 18  # a weight is an integer up to LEVELS, times the step of its block up to STEPS, times the scale of its row
CALIBRATION = 24_000  # tokens of the inputs for which layers are rounded
DAMPING = 0.01  # share of the mean of the diagonal that is added to it


def steps_of(block, scale):
    """Of the columns of a block of each row, the step with the least square error."""
    errors = [((block / (scale * m)).round().clamp(-LEVELS, LEVELS) * (scale * m) - block).square().sum(1) for m in range(1, STEPS + 1)]
    return torch.stack(errors).argmin(0) + 1


def rounded(weight, products=None):
    """Integers, steps and scales of a matrix: [rows][columns], [rows][columns/BLOCK], [rows]. products are the sums of the products of
    each two inputs. If they are given, columns are rounded one after the other, and the error of each is made up for in those after it
    (Frantar et al., 2023, "GPTQ: Accurate Post-Training Quantization for Generative Pre-trained Transformers")."""
    weight = weight.clone()
    rows, columns = weight.shape
    scale = weight.abs().amax(1, keepdim=True).clamp(min=1e-12) / (LEVELS * STEPS)
    if products is not None:
        damped = products + DAMPING * products.diagonal().mean() * torch.eye(columns)
        factors = torch.linalg.cholesky(torch.cholesky_inverse(torch.linalg.cholesky(damped.double())), upper=True).float()
    levels, steps = torch.zeros(rows, columns), torch.zeros(rows, columns // BLOCK)
    for at in range(0, columns, BLOCK):
        block, errors = weight[:, at:at + BLOCK], torch.zeros(rows, BLOCK)
        m = steps_of(block, scale)
        steps[:, at // BLOCK] = m
        step = scale[:, 0] * m
        for k in range(BLOCK):
            q = (block[:, k] / step).round().clamp(-LEVELS, LEVELS)
            levels[:, at + k] = q
            if products is not None:
                errors[:, k] = (block[:, k] - q * step) / factors[at + k, at + k]
                block[:, k + 1:] -= errors[:, k:k + 1] * factors[at + k, at + k + 1:at + BLOCK]
        if products is not None:
            weight[:, at + BLOCK:] -= errors @ factors[at:at + BLOCK, at + BLOCK:]
    return levels, steps, scale[:, 0]


def pack(levels, steps, scale):
    """The arrays of a matrix by the ends of their names: two levels in each byte, the lower half first, 8 standing for 0."""
    levels = (levels + LEVELS + 1).numpy().astype(np.uint8)
    return {"weight": (levels[:, ::2] | levels[:, 1::2] << 4).view(np.int8), "steps": steps.numpy().astype(np.int8), "scale": scale.numpy()}


def unpack(arrays, name):
    """The matrix, or what else has that name."""
    value, stem = arrays[name], name.removesuffix("weight")
    if stem + "steps" not in arrays:
        return torch.from_numpy(value)
    packed = value.view(np.uint8)
    levels = np.stack([packed & 15, packed >> 4], 2).reshape(len(value), -1).astype(np.float32) - (LEVELS + 1)
    return torch.from_numpy(levels * np.repeat(arrays[stem + "steps"], BLOCK, 1) * arrays[stem + "scale"][:, None])


@torch.no_grad()
def input_products(net, layer, batches):
    """The sums of products of inputs of each matrix of a layer."""
    sums, layers = {}, net.layers
    def add(name, batch):
        def hook(_, inputs, __):
            x = inputs[0].reshape(-1, inputs[0].shape[-1])[batch.inside.reshape(-1)]
            sums[name] = sums.get(name, 0) + x.T @ x
        return hook
    net.layers = layers[:layer + 1]
    for batch in batches:
        hooks = [m.register_forward_hook(add(name, batch)) for name, m in layers[layer].named_children() if isinstance(m, torch.nn.Linear)]
        net(batch)
        for h in hooks:
            h.remove()
    net.layers = layers
    return sums


@torch.no_grad()
def write(net, path, batches=(), known=None):
    """All weights by their names in Judge: matrices of tokens and layers rounded, the rest as float32. Each layer is rounded for the
    inputs that its matrices have in the batches behind rounded layers. Matrices that are those of known, an export, are taken from there. Rounds net."""
    arrays = {}
    def matrix(name, parameter, products=None):
        stem, ends = name.removesuffix("weight"), ("weight", "steps", "scale")
        if known and torch.equal(unpack(known, name), parameter):
            arrays.update({stem + end: known[stem + end] for end in ends})
        else:
            arrays.update({stem + end: value for end, value in pack(*rounded(parameter, products)).items()})
        parameter.copy_(unpack(arrays, name))
    matrix("words.weight", net.words.weight)
    for k, layer in enumerate(net.layers):
        weights = {name: m.weight for name, m in layer.named_children() if isinstance(m, torch.nn.Linear)}
        new = not known or any(not torch.equal(unpack(known, f"layers.{k}.{name}.weight"), w) for name, w in weights.items())
        products = input_products(net, k, batches) if new and batches else {}
        for name, weight in weights.items():
            matrix(f"layers.{k}.{name}.weight", weight, products.get(name))
    for name, parameter in net.named_parameters():
        arrays.setdefault(name, parameter.numpy())
    save_file(arrays, path)


def load(net, path):
    """Sets the weights of a new Judge."""
    arrays = load_file(path)
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            parameter.copy_(unpack(arrays, name))


@torch.no_grad()
def update_golden(net, tok, path):
    with open(path) as f:
        cases = json.load(f)
    for case in cases:
        parts = [*encode(tok, [case["passage"]], WINDOW), *encode_claims(tok, case["claims"])]
        batch = Batch([(parts,)])
        logits, tokens = net(batch)
        case["logits"] = [[round(x, 4) for x in row] for row in logits.tolist()]
        case["wrong"] = [[round(x, 4) for x in tokens[batch.claim.reshape(-1) == k].tolist()] for k in range(len(logits))]
    with open(path, "w") as f:
        json.dump(cases, f, ensure_ascii=False)
        f.write("\n")


def calibration(out):
    """Batches of some groups of all kinds."""
    from train import Groups  # which imports this module

    groups = Groups(out + "/train.npz")
    chosen = np.random.default_rng(5).permutation(np.concatenate([groups.claims, groups.pairs]))
    chosen = chosen[:np.searchsorted(groups.size[chosen].cumsum(), CALIBRATION)]
    return [Batch([groups[chosen[k]] for k in batch]) for batch in batches_of(groups.size[chosen], 2048)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("file")
    parser.add_argument("--init", help="that of the run")
    parser.add_argument("--golden", help="test cases to update")
    args = parser.parse_args()
    net = Judge(torch.load(args.out + "/encoder/base.pt"))
    if args.init:
        load(net, args.init)
    load_average(net, args.out)
    write(net, args.file, calibration(args.out), args.init and load_file(args.init))
    if args.golden:
        update_golden(net, tokenizer(args.out + "/encoder"), args.golden)
