"""Parses documents with a transformer trained on the treebank (a teacher).

usage: teacher.py DATA ENCODER OUT

DATA holds ud-ewt-train.conllu.zst and ud-ewt-dev.conllu.zst, ENCODER is a directory with
a BERT encoder in the format of the transformers library, and OUT has sentences.txt: a
sentence a line, words separated by spaces. Writes OUT/silver.conllu: those sentences
whose most likely heads form a tree. A head that is not likely is left out ("_").
"""

import os
import random
import subprocess
import sys

import torch
from torch import nn
from transformers import AutoTokenizer, BertModel

EPOCHS = 3
BATCH = 24  # sentences
LIKELY = 0.6  # of a head that is kept
SHAPES = 6


def read(path):
    """Returns sentences as (forms, tags, heads, relations); head 0 is the root."""
    text = subprocess.run(["zstd", "-dc", path], check=True, capture_output=True).stdout.decode()
    for block in text.strip().split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if line[0].isdigit()]
        rows = [row for row in rows if row[0].isdigit()]
        yield (
            [row[1] for row in rows],
            [row[3] + "|" + row[4] for row in rows],
            [int(row[6]) for row in rows],
            [row[7] for row in rows],
        )


def shape(form):
    """The encoder reads lower case; shapes are what it misses."""
    if form.islower():
        return 0
    if form.istitle():
        return 1
    if form.isupper():
        return 2
    return 3 if any(c.isupper() for c in form) else 4 if any(c.isdigit() for c in form) else 5


class Biaffine(nn.Module):
    """Scores of pairs of words, with a bias of the second (Dozat and Manning 2017)."""

    def __init__(self, size, classes):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(classes, size + 1, size))

    def forward(self, dependents, heads):
        one = torch.ones_like(dependents[..., :1])
        return torch.einsum("bdi,cij,bhj->bdhc", torch.cat([dependents, one], -1), self.weight, heads)


class Parser(nn.Module):
    def __init__(self, encoder, tags, relations):
        super().__init__()
        self.encoder = encoder
        self.shapes = nn.Embedding(SHAPES, 32)
        size = encoder.config.hidden_size + 32

        def layer(out):
            return nn.Sequential(nn.Dropout(0.3), nn.Linear(size, out), nn.GELU(), nn.Dropout(0.3))

        self.tag = nn.Sequential(nn.Dropout(0.3), nn.Linear(size, tags))
        self.dependent, self.head, self.dependent_label, self.head_label = layer(256), layer(256), layer(96), layer(96)
        self.arc, self.label = Biaffine(256, 1), Biaffine(96, relations)

    def forward(self, pieces, mask, first, shapes, words):
        """Returns scores of tags, of heads, and what label needs. Word 0 is the root."""
        hidden = self.encoder(pieces, attention_mask=mask).last_hidden_state
        hidden = torch.gather(hidden, 1, first[..., None].expand(-1, -1, hidden.shape[-1]))
        hidden = torch.cat([hidden, self.shapes(shapes)], -1)
        arcs = self.arc(self.dependent(hidden), self.head(hidden))[..., 0]
        arcs = arcs.masked_fill(~words[:, None, :], -1e9)
        return self.tag(hidden), arcs, (self.dependent_label(hidden), self.head_label(hidden))

    def labels(self, parts, heads):
        dependents, all_heads = parts
        chosen = torch.gather(all_heads, 1, heads[..., None].expand(-1, -1, all_heads.shape[-1]))
        one = torch.ones_like(dependents[..., :1])
        left = torch.einsum("bdi,cij->bdcj", torch.cat([dependents, one], -1), self.label.weight)
        return torch.einsum("bdcj,bdj->bdc", left, chosen)


def batch(tokenizer, sentences):
    """Returns the input of Parser.forward for lists of forms."""
    encoded = tokenizer(sentences, is_split_into_words=True, padding=True, return_tensors="pt")
    width = max(map(len, sentences)) + 1
    first = torch.zeros(len(sentences), width, dtype=torch.long)  # the piece [CLS] stands for the root
    shapes = torch.zeros(len(sentences), width, dtype=torch.long)
    words = torch.zeros(len(sentences), width, dtype=torch.bool)
    for i, forms in enumerate(sentences):
        words[i, : len(forms) + 1] = True
        for j, form in enumerate(forms):
            shapes[i, j + 1] = shape(form)
            span = encoded.word_to_tokens(i, j)
            first[i, j + 1] = span.start if span else 0
    return encoded["input_ids"], encoded["attention_mask"], first, shapes, words


def batches(sentences, size):
    """Yields lists of sentences of like lengths, in random order."""
    order = sorted(range(len(sentences)), key=lambda i: len(sentences[i][0]) + random.random() * 3)
    parts = [order[i : i + size] for i in range(0, len(order), size)]
    random.shuffle(parts)
    for part in parts:
        yield [sentences[i] for i in part]


def targets(sentences, width, tag_ids, relation_ids):
    gold = torch.full((3, len(sentences), width), -100)
    for i, (_, tags, heads, relations) in enumerate(sentences):
        n = len(tags)
        gold[0, i, 1 : n + 1] = torch.tensor([tag_ids.get(t, -100) for t in tags])
        gold[1, i, 1 : n + 1] = torch.tensor(heads)
        gold[2, i, 1 : n + 1] = torch.tensor([relation_ids.get(r, -100) for r in relations])
    return gold


def train(parser, tokenizer, sentences, tag_ids, relation_ids):
    groups = [
        {"params": parser.encoder.parameters(), "lr": 2e-4},
        {"params": [p for name, p in parser.named_parameters() if not name.startswith("encoder.")], "lr": 2e-3},
    ]
    optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=0.01)
    steps = EPOCHS * (len(sentences) // BATCH + 1)
    warm = steps // 12
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda i: min((i + 1) / warm, max(0, (steps - i) / (steps - warm))))
    loss_of = nn.CrossEntropyLoss(ignore_index=-100)
    for epoch in range(EPOCHS):
        parser.train()
        total = 0.0
        for part in batches(sentences, BATCH):
            inputs = batch(tokenizer, [s[0] for s in part])
            gold = targets(part, inputs[2].shape[1], tag_ids, relation_ids)
            tags, arcs, parts = parser(*inputs)
            labels = parser.labels(parts, gold[1].clamp(min=0))
            loss = sum(loss_of(scores.flatten(0, 1), want.flatten()) for scores, want in zip((tags, arcs, labels), gold))
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(parser.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total += loss.item()
        yield epoch, total * BATCH / len(sentences)


@torch.inference_mode()
def predict(parser, tokenizer, sentences):
    """Yields (forms, tags, heads, relations, probabilities of the heads), tags and relations as numbers."""
    parser.eval()
    for part in batches(sentences, 64):
        inputs = batch(tokenizer, [s[0] for s in part])
        tags, arcs, parts = parser(*inputs)
        sure, heads = arcs.softmax(-1).max(-1)
        labels = parser.labels(parts, heads).argmax(-1)
        for i, s in enumerate(part):
            n = len(s[0]) + 1
            yield s, tags[i, 1:n].argmax(-1).tolist(), heads[i, 1:n].tolist(), labels[i, 1:n].tolist(), sure[i, 1:n].tolist()


def is_tree(heads):
    """Whether each word leads to the root, which has one dependent."""
    if heads.count(0) != 1:
        return False
    for word in range(1, len(heads) + 1):
        steps = 0
        while word > 0 and steps <= len(heads):
            word, steps = heads[word - 1], steps + 1
        if word > 0:
            return False
    return True


def report(parser, tokenizer, sentences, tag_ids, relation_ids):
    words = right = arcs = headed = labelled = 0
    for s, tags, heads, labels, _ in predict(parser, tokenizer, sentences):
        for i, tag in enumerate(s[1]):
            words += 1
            right += tags[i] == tag_ids.get(tag)
            if tag.startswith("PUNCT"):
                continue
            arcs += 1
            headed += heads[i] == s[2][i]
            labelled += heads[i] == s[2][i] and labels[i] == relation_ids.get(s[3][i])
    print(f"tags {100 * right / words:.2f}, UAS {100 * headed / arcs:.2f}, LAS {100 * labelled / arcs:.2f}", flush=True)


def main(data, encoder, out):
    torch.manual_seed(1)
    random.seed(1)
    torch.set_num_threads(1)
    tokenizer = AutoTokenizer.from_pretrained(encoder)
    sentences = list(read(os.path.join(data, "ud-ewt-train.conllu.zst")))
    dev = list(read(os.path.join(data, "ud-ewt-dev.conllu.zst")))
    tags = sorted({t for s in sentences for t in s[1]})
    relations = sorted({r for s in sentences for r in s[3]})
    tag_ids, relation_ids = ({name: i for i, name in enumerate(names)} for names in (tags, relations))
    parser = Parser(BertModel.from_pretrained(encoder, add_pooling_layer=False), len(tags), len(relations))
    parser.encoder.embeddings.word_embeddings.weight.requires_grad_(False)
    for epoch, loss in train(parser, tokenizer, [s for s in sentences if len(s[0]) <= 80], tag_ids, relation_ids):
        print(f"epoch {epoch + 1}: loss {loss:.3f}", flush=True)
        report(parser, tokenizer, dev, tag_ids, relation_ids)
        torch.save(parser.state_dict(), os.path.join(out, "teacher.pt"))
    with open(os.path.join(out, "sentences.txt"), encoding="utf-8") as lines:
        texts = [(line.split(" "),) for line in lines.read().splitlines()]
    with open(os.path.join(out, "silver.conllu"), "w", encoding="utf-8") as silver:
        for s, found, heads, labels, sure in predict(parser, tokenizer, texts):
            if not is_tree(heads):
                continue
            for i, form in enumerate(s[0]):
                coarse, fine = tags[found[i]].split("|")
                head = heads[i] if sure[i] >= LIKELY else "_"
                print(i + 1, form, "_", coarse, fine, "_", head, relations[labels[i]], "_", "_", sep="\t", file=silver)
            print(file=silver)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
