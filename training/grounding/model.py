"""The grounding network: a BERT encoder with a head for claims and one for their tokens."""

import json
import math
import os
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from torch import nn

from .layout import PAD, TYPES

CLASSES = ("supported", "not_mentioned", "contradicted")


class Block(nn.Module):
    """A transformer layer with normalization after each sublayer."""

    def __init__(self, width, inner, heads, eps):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm1 = nn.LayerNorm(width, eps=eps)
        self.up = nn.Linear(width, inner)
        self.down = nn.Linear(inner, width)
        self.norm2 = nn.LayerNorm(width, eps=eps)

    def forward(self, x, mask):
        rows, length, width = x.shape
        qkv = self.qkv(x).view(rows, length, 3, self.heads, width // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        # In bfloat16 on a CPU, the backward pass of this is faster than that of fused attention.
        a = (q * (width // self.heads) ** -0.5) @ k.transpose(-1, -2) + mask
        a = a.softmax(-1, dtype=a.dtype) @ v
        x = self.norm1(x + self.out(a.transpose(1, 2).reshape(rows, length, width)))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Grounding(nn.Module):
    """Computes logits of CLASSES for each claim, and a logit of being unsupported for each token."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        width, eps = config["hidden_size"], config["layer_norm_eps"]
        self.word = nn.Embedding(config["vocab_size"], width)
        self.position = nn.Embedding(config["max_position_embeddings"], width)
        self.mark = nn.Embedding(TYPES, width)
        self.norm = nn.LayerNorm(width, eps=eps)
        self.blocks = nn.ModuleList(
            Block(width, config["intermediate_size"], config["num_attention_heads"], eps)
            for _ in range(config["num_hidden_layers"])
        )
        self.hidden = nn.Linear(3 * width, width)
        self.classes = nn.Linear(width, len(CLASSES))
        self.token = nn.Linear(width, 1)
        self.drop = nn.Dropout(0.1)

    @classmethod
    def from_bert(cls, path):
        """Loads the encoder of a Hugging Face BERT directory; the heads are initialized randomly."""
        path = Path(path)
        net = cls(json.loads((path / "config.json").read_text()))
        bert = {k.removeprefix("bert."): v for k, v in load_file(path / "model.safetensors").items()}
        types = bert["embeddings.token_type_embeddings.weight"]
        state = {
            "word.weight": bert["embeddings.word_embeddings.weight"],
            "position.weight": bert["embeddings.position_embeddings.weight"],
            "mark.weight": types[[0] + [1] * (TYPES - 1)],
            "norm.weight": bert["embeddings.LayerNorm.weight"],
            "norm.bias": bert["embeddings.LayerNorm.bias"],
        }
        names = {
            "out": "attention.output.dense",
            "norm1": "attention.output.LayerNorm",
            "up": "intermediate.dense",
            "down": "output.dense",
            "norm2": "output.LayerNorm",
        }
        for i in range(net.config["num_hidden_layers"]):
            layer = f"encoder.layer.{i}."
            for part in ("weight", "bias"):
                qkv = [bert[f"{layer}attention.self.{x}.{part}"] for x in ("query", "key", "value")]
                state[f"blocks.{i}.qkv.{part}"] = torch.cat(qkv)
                for ours, theirs in names.items():
                    state[f"blocks.{i}.{ours}.{part}"] = bert[f"{layer}{theirs}.{part}"]
        missing, unexpected = net.load_state_dict(state, strict=False)
        heads = ("hidden.", "classes.", "token.")
        if unexpected or any(not m.startswith(heads) for m in missing):
            raise ValueError(f"{path}: missing weights {missing}, unexpected weights {unexpected}")
        return net

    def forward(self, ids, positions, types, segments, claims):
        """Returns logits [claims, 3], token logits [claims, max tokens] and a mask of the latter.

        claims is a tensor [claims, 3] of (row, first token, end). The other arguments
        have the shape [rows, tokens].
        """
        x = self.norm(self.word(ids) + self.position(positions) + self.mark(types))
        key, query = segments[:, None, :], segments[:, :, None]
        mask = ((key == 1) | (key == query)) & (key > 0) | ((query == 0) & (key == 1))
        dtype = torch.bfloat16 if torch.is_autocast_enabled(x.device.type) else torch.float32
        mask = torch.zeros(mask.shape, dtype=dtype, device=x.device).masked_fill(~mask, -30000.0)[:, None]
        for block in self.blocks:
            x = block(x, mask)
        x = x.float()
        row, first, end = claims.T
        index = first[:, None] + torch.arange(int((end - first).max()), device=ids.device)
        inside = index < end[:, None]
        tokens = x[row[:, None], index.clamp(max=x.shape[1] - 1)]
        weight = inside[..., None].float()
        mean = (tokens * weight).sum(1) / weight.sum(1)
        maximum = tokens.masked_fill(~inside[..., None], -math.inf).max(1).values
        claim = torch.cat([x[row, end - 1], mean, maximum], 1)
        return self.classes(F.gelu(self.hidden(self.drop(claim)))), self.token(tokens)[..., 0], inside

    def save(self, path, dtype=torch.float32):
        """Writes the weights atomically."""
        state = {k: v.to(dtype).contiguous() for k, v in self.state_dict().items()}
        save_file(state, f"{path}.new", metadata={"config": json.dumps(self.config)})
        os.replace(f"{path}.new", path)

    @classmethod
    def load(cls, path):
        """Loads weights written by save."""
        from safetensors import safe_open

        with safe_open(path, "pt") as f:
            net = cls(json.loads(f.metadata()["config"]))
        net.load_state_dict({k: v.float() for k, v in load_file(path).items()})
        return net


def batch(sequences, device="cpu", multiple=16):
    """Returns the arguments of forward, with sequences padded to a common multiple of tokens."""
    length = max(len(s.ids) for s in sequences)
    length += -length % multiple
    columns = []
    for name, fill in (("ids", PAD), ("positions", 0), ("types", 0), ("segments", 0)):
        rows = [getattr(s, name) + [fill] * (length - len(s.ids)) for s in sequences]
        columns.append(torch.tensor(rows, device=device))
    claims = [(r, a, b) for r, s in enumerate(sequences) for a, b in s.claims]
    return (*columns, torch.tensor(claims, device=device))
