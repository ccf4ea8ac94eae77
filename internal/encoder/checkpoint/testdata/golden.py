#!/usr/bin/env python3
"""Writes the files of this directory by torch.save, and their tensors as JSON.

    pip install torch==2.15.0 numpy==2.4.6
    python golden.py
"""

import argparse
import collections
import json
from pathlib import Path

import torch

HERE = Path(__file__).parent


def values(start, *shape):
    """Numbers that all types but BOOL hold exactly."""
    n = torch.Size(shape).numel()
    return (torch.arange(start, start + n) / 4 if start >= 0 else torch.arange(start, start + n)).reshape(shape)


def state(dtype):
    return collections.OrderedDict(
        weight=values(0, 3, 4).to(dtype), bias=values(-2, 3).to(dtype), scalar=values(5).to(dtype).reshape(())
    )


shared = values(0, 12)
linear = torch.nn.Linear(2, 3)
with torch.no_grad():
    linear.weight.copy_(values(0, 3, 2))
    linear.bias.copy_(values(-2, 3))
module = torch.nn.Sequential(collections.OrderedDict(encoder=linear, norm=torch.nn.BatchNorm1d(3)))
optimizer = torch.optim.Adam(module.parameters())
module(torch.ones(2, 2)).sum().backward()
optimizer.step()

FILES = {
    "float32.bin": state(torch.float32),
    "float16.bin": state(torch.float16),
    "bfloat16.bin": state(torch.bfloat16),
    "types.bin": {
        str(t).removeprefix("torch."): values(0, 6).mul(4).to(t)
        for t in (torch.float64, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)
    },
    "module.bin": module.state_dict(),  # has _metadata
    "tied.bin": {"a": shared, "b": shared, "row": shared[4:8], "matrix": shared.view(3, 4)},
    "lightning.ckpt": {
        "epoch": 3,
        "pytorch-lightning_version": "1.7.7",
        "state_dict": {"model." + k: v.detach() for k, v in module.state_dict().items()},
        "optimizer_states": [optimizer.state_dict()],
        "loops": {"seen": {1, 2}, "large": 1 << 80, "bytes": b"\x00\x01", "nested": [(1, (2.5, None)), frozenset({3})]},
        "hyper_parameters": argparse.Namespace(path=Path("a"), device=torch.device("cpu"), rate=torch.tensor(0.1)),
    },
}


def tensors(members):
    names = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.float64: "F64", torch.bool: "BOOL"}
    return {
        name: {
            "dtype": names.get(t.dtype, str(t.dtype).removeprefix("torch.").replace("uint", "U").replace("int", "I")),
            "shape": list(t.shape),
            "values": t.detach().to(torch.float64).flatten().tolist(),
        }
        for name, t in members.items()
        if isinstance(t, torch.Tensor)
    }


want = {}
for name, content in FILES.items():
    members = tensors(content.get("state_dict", content))
    torch.save(content, HERE / name)
    want[name] = members
torch.save(module, HERE / "whole-module.bin")
lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(members)}" for name, members in want.items())
(HERE / "golden.json").write_text("{\n" + lines + "\n}\n")
