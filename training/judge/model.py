"""The judge network: an encoder (MPNet) that reads a passage once and several claims beside it.

A group is a passage and some of its claims, as token ids: [CLS] passage [SEP] and, for each claim, [CLS] claim [SEP].
The passage attends to itself. A claim attends to the passage and to itself, and its positions continue after the passage,
so its score does not depend on the other claims. A batch holds groups of about one size, one in each row.
"""
import math
import zlib

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional as F

MAX_PASSAGE, MAX_CLAIM = 254, 60  # tokens
MAX_GROUP = 512  # tokens in a group
STEP = 64  # groups are padded to a multiple of it
DROPOUT = 0.1
EPSILON = 1e-5  # of norms
LABELS = ["supported", "contradicted", "not_mentioned", "not_supported"]  # the last one: either of the two before it
PASSAGE = -1  # stands for the label of a passage
UNKNOWN = -1  # whether a token is wrong: 1, 0 or this


def tokenizer(directory):
    t = Tokenizer.from_file(directory + "/tokenizer.json")
    t.no_padding()
    t.no_truncation()
    return t


def encode(tok, texts, limit):
    """Keeps the first tokens."""
    cls, sep = tok.encode("").ids
    return [np.array([cls, *e.ids[:limit], sep], dtype=np.uint16) for e in tok.encode_batch(texts, add_special_tokens=False)]


def encode_claims(tok, texts):
    """Keeps the last tokens: a claim follows its question."""
    cls, sep = tok.encode("").ids
    return [np.array([cls, *e.ids[-MAX_CLAIM:], sep], dtype=np.uint16) for e in tok.encode_batch(texts, add_special_tokens=False)]


def groups_of(passage, claims, most=12):
    """Numbers of the claims that go into one group: at most 12, and as many as fit beside the passage."""
    group, size = [], len(passage)
    for k, claim in enumerate(claims):
        if group and (len(group) == most or size + len(claim) > MAX_GROUP):
            yield group
            group, size = [], len(passage)
        group.append(k)
        size += len(claim)
    yield group


def batches_of(sizes, tokens):
    """Yields lists of item numbers: items of one size after padding, in their order, of at most so many tokens in all."""
    open_batches = {}
    for item, size in enumerate(sizes):
        width = padded(size)
        batch = open_batches.setdefault(width, [])
        batch.append(item)
        if (len(batch) + 1) * width > tokens:
            yield open_batches.pop(width)
    yield from open_batches.values()


def padded(size):
    return -(-size // STEP) * STEP


class Batch:
    """Groups as tensors, one in each row. A group is (parts, labels, wrong): parts[0] is the passage, the others are claims, and
    wrong says for each part which of its tokens are wrong. To judge, only the parts are needed."""

    def __init__(self, groups, device="cpu"):
        shape = len(groups), padded(max(sum(map(len, parts)) for parts, *_ in groups))
        ids, position = np.zeros((2, *shape), np.int64)
        wrong = np.full(shape, UNKNOWN)
        part, claim = np.full((2, *shape), -1)
        first, labels, owner = [], [], []
        for r, (parts, *known) in enumerate(groups):
            end = 0
            for p, tokens in enumerate(parts):
                start, end = end, end + len(tokens)
                at = (r, slice(start, end))
                ids[at], part[at] = tokens, p
                position[at] = np.arange(len(tokens)) + (len(parts[0]) if p else 0)
                if p:
                    claim[at] = len(first)
                    first.append(r * shape[1] + start)
                    owner.append(r)
                if known:
                    wrong[at] = known[1][p]
            labels += known[0] if known else []
        self.tokens = int((part >= 0).sum())
        tensor = lambda a: torch.as_tensor(a, dtype=torch.long, device=device)
        self.ids, self.position, self.claim, self.wrong, part = map(tensor, (ids, position, claim, wrong, part))
        self.first, self.labels, self.owner = map(tensor, (first, labels, owner))
        self.inside = part >= 0
        self.mask = ((part[:, None, :] == 0) | (part[:, :, None] == part[:, None, :]))[:, None]


def attention(query, key, value, bias):
    """On a processor written out: the backward pass of its fused kernel takes twice as long as all matrix products of a layer."""
    if query.device.type == "cuda":
        return F.scaled_dot_product_attention(query, key, value, attn_mask=bias)
    scores = query * query.shape[-1] ** -0.5 @ key.transpose(-1, -2)
    return torch.softmax(scores + bias.to(scores.dtype), -1, dtype=scores.dtype) @ value


def bucket(distance, buckets=32, limit=128):
    """The buckets of distances (key minus query) of MPNet and T5: half of them for keys after the query, and half of each for
    distances one by one, the rest up to the limit in logarithmic steps."""
    half, away = buckets // 2, distance.abs()
    exact = half // 2
    far = exact + (torch.log(away.clamp(min=1) / exact) / math.log(limit / exact) * (half - exact)).long()
    return torch.where(distance > 0, half, 0) + torch.where(away < exact, away, far.clamp(max=half - 1))


class Dropout(nn.Module):
    """Dropout whose masks are slices of one random table: to draw new numbers takes longer than a layer. The slices follow from the
    number of the step, so that a run can be continued."""

    def __init__(self, share=DROPOUT):
        super().__init__()
        kept = np.random.default_rng(3).random(2**24) >= share
        self.register_buffer("table", torch.from_numpy(kept).bfloat16() / (1 - share), persistent=False)

    def start(self, step):
        self.random = np.random.default_rng((4, step))

    def forward(self, x):
        first = int(self.random.integers(len(self.table) - x.numel()))
        return x * self.table[first:first + x.numel()].view_as(x)


class Layer(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(hidden, hidden) for _ in range(4))
        self.up, self.down = nn.Linear(hidden, 4 * hidden), nn.Linear(4 * hidden, hidden)
        self.norm1, self.norm2 = nn.LayerNorm(hidden, eps=EPSILON), nn.LayerNorm(hidden, eps=EPSILON)

    def forward(self, x, bias, dropout):
        rows, width, hidden = x.shape
        heads = lambda t: t.view(rows, width, self.heads, hidden // self.heads).transpose(1, 2)
        a = attention(heads(self.query(x)), heads(self.key(x)), heads(self.value(x)), bias)
        x = self.norm1(x + dropout(self.out(a.transpose(1, 2).reshape(rows, width, hidden))))
        return self.norm2(x + dropout(self.down(F.gelu(self.up(x)))))


BERT_NAMES = {"query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
              "out": "attention.output.dense", "norm1": "attention.output.LayerNorm",
              "up": "intermediate.dense", "down": "output.dense", "norm2": "output.LayerNorm"}


def bert_name(name):
    """The name that BertModel gives to a parameter of Judge: layers.3.up.weight is encoder.layer.3.intermediate.dense.weight."""
    field, _, rest = name.partition(".")
    if field == "layers":
        number, short, leaf = rest.split(".")
        return f"encoder.layer.{number}.{BERT_NAMES[short]}.{leaf}"
    return {"words": "embeddings.word_embeddings", "positions": "embeddings.position_embeddings", "head": "head",
            "relative": RELATIVE.removesuffix(".weight"), "norm": "embeddings.LayerNorm", "token_head": "token_head"}[field] + "." + rest


def load_average(net, directory):
    """Sets the trained weights of net to the average of a checkpoint. The others must be those of the run."""
    state = torch.load(directory + "/state.pt", map_location="cpu")
    check_frozen(net, state["average"], state)
    net.load_state_dict(state["average"], strict=False)


def frozen_checksum(net, trained):
    """A checksum of the weights that are not trained."""
    value = 0
    for name, p in net.named_parameters():
        if name not in trained:
            value = zlib.crc32(p.detach().cpu().contiguous().numpy(), value)
    return value


def check_frozen(net, trained, state):
    """The frozen weights of net must be those of the run that wrote state: its --init and --frozen."""
    assert state.get("frozen") in (None, frozen_checksum(net, trained)), "the run was started with another --init or --frozen"


HEADS = ("head", "token_head")
RELATIVE = "encoder.relative_attention_bias.weight"


class Judge(nn.Module):
    """Starts from the weights of base (names of BertModel), with new heads: the three classes of a claim, and whether a token of it is
    wrong. Embeddings and the first frozen layers are not trained."""

    def __init__(self, base, frozen=0):
        super().__init__()
        self.frozen = frozen
        vocabulary, hidden = base["embeddings.word_embeddings.weight"].shape
        self.words = nn.Embedding(vocabulary, hidden)
        self.positions = nn.Embedding(len(base["embeddings.position_embeddings.weight"]), hidden)
        self.relative = nn.Embedding(*base[RELATIVE].shape)
        self.norm = nn.LayerNorm(hidden, eps=EPSILON)
        layers = 1 + max(int(name.split(".")[2]) for name in base if name.startswith("encoder.layer."))
        self.layers = nn.ModuleList(Layer(hidden, base[RELATIVE].shape[1]) for _ in range(layers))
        self.head, self.token_head = nn.Linear(hidden, 3), nn.Linear(hidden, 1)
        for head in (self.head, self.token_head):
            nn.init.normal_(head.weight, std=0.02, generator=torch.Generator().manual_seed(1))
            nn.init.zeros_(head.bias)
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if not name.startswith(HEADS):
                    parameter.copy_(base[bert_name(name)])
                    parameter.requires_grad = name.startswith("layers") and int(name.split(".")[1]) >= frozen

    def trained(self):
        return {name: p for name, p in self.named_parameters() if p.requires_grad}

    def forward(self, batch, dropout=lambda x: x):
        """Logits of the three classes, one row for each claim of the batch, and for each token the log odds that it is wrong."""
        x = dropout(self.norm(self.words(batch.ids) + self.positions(batch.position)))
        distance = batch.position[:, None] - batch.position[:, :, None]
        bias = torch.where(batch.mask, 0.0, -1e4) + self.relative(bucket(distance)).permute(0, 3, 1, 2)
        with mixed_precision(x.device):
            if torch.is_autocast_enabled(x.device.type):
                bias = bias.bfloat16()
            for layer in self.layers:
                x = layer(x, bias, dropout)
        x, claim = x.reshape(-1, x.shape[-1]).float(), batch.claim.reshape(-1)
        inside, count = claim >= 0, len(batch.first)
        total = x.new_zeros(count, x.shape[-1]).index_add_(0, claim[inside], x[inside])
        length = x.new_zeros(count).index_add_(0, claim[inside], x.new_ones(int(inside.sum())))
        return self.head(x[batch.first] + total / length[:, None]), self.token_head(x)[:, 0]


def mixed_precision(device):
    """bfloat16 for the matrix products of training where there are instructions for it: on a processor 1.6 times as fast, with AMX
    3 times. Evaluations are in float32, so that they do not depend on the machine."""
    able = device.type == "cuda" or torch.cpu._is_avx512_bf16_supported()
    return torch.autocast(device.type, torch.bfloat16, enabled=able and torch.is_grad_enabled())


def support(logits):
    """Log odds of "supported" against the other two classes."""
    return logits[:, 0] - torch.logsumexp(logits[:, 1:], 1)


def loss(logits, tokens, batch, ranking=0.5):
    """The sum of the cross-entropy of the claims, of a logistic loss on each pair of claims of one passage of which one is supported
    and one is not, and of the cross-entropy of the tokens, of which those that are wrong count three times."""
    log_p, y = F.log_softmax(logits, 1), batch.labels
    chosen = log_p.gather(1, y.clamp(max=2)[:, None])[:, 0]
    value = -torch.where(y < 3, chosen, torch.logsumexp(log_p[:, 1:], 1)).mean()
    pairs = (batch.owner[:, None] == batch.owner[None]) & (y == 0)[:, None] & (y != 0)[None]
    if pairs.any():
        odds = support(logits)
        value = value + ranking * F.softplus(odds[None] - odds[:, None])[pairs].mean()
    known = batch.wrong.reshape(-1) != UNKNOWN
    if known.any():
        wrong = batch.wrong.reshape(-1)[known].float()
        value = value + F.binary_cross_entropy_with_logits(tokens[known], wrong, 1 + 2 * wrong, reduction="sum") / (1 + 2 * wrong).sum()
    return value
