#!/usr/bin/env python3
"""Trains the grounding model on words.jsonl, for a number of tokens.

The state is written every few minutes, and a run that finds one goes on from
it. The matrix products are done in bfloat16; the weights are float32 throughout.
On processors each worker is a process with one thread and a share of every
batch: threads that wait for each other thousands of times a step lose half
their time where anything else runs. Where there is a GPU it does all.
"""

import argparse
import collections
import json
import math
import os
import random
import sys
import tempfile
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F
from tokenizers import Tokenizer

from grounding import layout, text
from grounding.model import Grounding, batch

NOT_SUPPORTED = 3  # one of not_mentioned and contradicted, it is not known which
MOST_CLAIMS = 8  # of a sequence
BINS = 10  # of the lexical score, to match labels in
MARGIN = 0.02  # how far lexical scores stay from 0 and 1 as log-odds


def matched(groups, slack, rng):
    """Drops claims until, in each source and each range of the lexical score, neither label has over slack times the other.

    What is left can't be told by the words alone, nor by its source: the network
    has to find what the lexical judge does not see.
    """
    bins = collections.defaultdict(lambda: ([], []))
    for g, group in enumerate(groups):
        for c, claim in enumerate(group["claims"]):
            b = min(int(claim["words"] * BINS), BINS - 1)
            bins[group["source"], b][claim["label"] == 0].append((g, c))
    keep = set()
    for _, pair in sorted(bins.items()):
        most = int(slack * min(map(len, pair)))
        for places in pair:
            keep.update(places if len(places) <= most else rng.sample(places, most))
    for g, group in enumerate(groups):
        claims = [claim for c, claim in enumerate(group["claims"]) if (g, c) in keep]
        if claims:
            yield group | {"claims": claims}


def sequences(groups, tokenizer, vocabulary, rng):
    """Groups as (sequence, labels, token labels, log-odds of the words), an item a window."""
    for group in groups:
        window = tokenizer.encode(group["window"], add_special_tokens=False).ids[: layout.MAX_WINDOW]
        claims = []
        for c in group["claims"]:
            e = tokenizer.encode(c["text"], add_special_tokens=False)
            ids = e.ids[: layout.MAX_CLAIM]
            marks = None
            if c["spans"] is not None:
                marks = [int(any(a < q and b > p for p, q in c["spans"])) for a, b in e.offsets[: len(ids)]]
            if ids:
                words = min(max(c["words"], MARGIN), 1 - MARGIN)
                claims.append((ids, c["label"], marks, math.log(words / (1 - words))))
        rng.shuffle(claims)
        while claims:
            n, k = len(window) + 2, 0
            while k < min(len(claims), MOST_CLAIMS) and (k == 0 or n + len(claims[k][0]) < layout.MAX_TOKENS):
                n += len(claims[k][0]) + 1
                k += 1
            some, claims = claims[:k], claims[k:]
            yield layout.sequence(vocabulary, window, [c[0] for c in some]), *([c[i] for c in some] for i in (1, 2, 3))


def batches(items, tokens, seed):
    """Batches of at most so many tokens, of like lengths, without end; the order is the seed's."""
    epoch = 0
    while True:
        rng = random.Random(f"{seed} {epoch}")
        order = items[:]
        rng.shuffle(order)
        made = []
        for i in range(0, len(order), 2000):
            chunk = sorted(order[i : i + 2000], key=lambda item: len(item[0].ids))
            j = 0
            while j < len(chunk):
                k = j + 1
                while k < len(chunk) and len(chunk[k][0].ids) * (k + 1 - j) <= tokens:
                    k += 1
                made.append(chunk[j:k])
                j = k
        rng.shuffle(made)
        yield from made
        epoch += 1


def losses(net, some, beside, device):
    """The loss of the classes, of supported or not, and of the tokens.

    The log-odds of the words, times beside, are added to those of support: the
    network learns what they lack.
    """
    inputs = batch([item[0] for item in some], device)
    labels = torch.tensor([y for item in some for y in item[1]], device=device)
    marks = [m for item in some for m in item[2]]
    words = torch.tensor([w for item in some for w in item[3]], device=device)
    with torch.autocast(device, dtype=torch.bfloat16):
        logits, tokens, _ = net(*inputs)
    log = F.log_softmax(torch.cat([logits[:, :1] + beside * words[:, None], logits[:, 1:]], 1).float(), 1)
    unsupported = torch.logsumexp(log[:, 1:], 1)
    known = log.gather(1, labels.clamp(max=NOT_SUPPORTED - 1)[:, None])[:, 0]
    classes = -torch.where(labels == NOT_SUPPORTED, unsupported, known).mean()
    binary = -torch.where(labels == 0, log[:, 0], unsupported).mean()
    want, have = torch.zeros_like(tokens), torch.zeros_like(tokens)
    for i, m in enumerate(marks):
        if m is not None:
            want[i, : len(m)] = torch.tensor(m, dtype=want.dtype, device=device)
            have[i, : len(m)] = 1
    each = F.binary_cross_entropy_with_logits(tokens.float(), want.float(), reduction="none", pos_weight=torch.tensor(2.0, device=device))
    return classes, binary, (each * have).sum() / have.sum().clamp(min=1)


def optimizer(net, rate):
    """AdamW; the heads learn five times as fast as the trunk, the token types twenty times."""
    net.word.weight.requires_grad_(False)
    groups = {"trunk": [], "plain": [], "head": [], "type": [net.mark.weight]}
    for name, p in net.named_parameters():
        if name.startswith(("hidden.", "classes.", "token.")):
            groups["head"].append(p)
        elif name.startswith(("word.", "mark.")):
            continue
        else:
            groups["trunk" if p.dim() > 1 else "plain"].append(p)
    settings = {"trunk": (1, 0.01), "plain": (1, 0.0), "head": (5, 0.01), "type": (20, 0.0)}
    return torch.optim.AdamW(
        [{"params": p, "lr": rate * settings[n][0], "base": rate * settings[n][0], "weight_decay": settings[n][1]} for n, p in groups.items()],
        betas=(0.9, 0.98),
        fused=True,
    )


def rate_at(done, warm=0.04):
    """The share of the learning rate after this share of the run: up, then down in a straight line."""
    return max(min(done / warm, (1 - done) / (1 - warm)), 0.01)


def save(path, state):
    torch.save(state, f"{path}.new")
    os.replace(f"{path}.new", path)


class Team:
    """The workers of a run, and what they do together."""

    def __init__(self, rank, workers):
        self.rank, self.workers = rank, workers

    def share(self, items):
        return items[self.rank :: self.workers]

    def sum(self, tensors):
        """Adds tensors up over the workers, in place."""
        if self.workers > 1:
            flat = torch.cat([t.reshape(-1) for t in tensors])
            dist.all_reduce(flat)
            at = 0
            for t in tensors:
                t.copy_(flat[at : at + t.numel()].view_as(t))
                at += t.numel()


def work(rank, args, workers, meeting):
    """One worker of a run."""
    team = Team(rank, workers)
    say = print if rank == 0 else lambda *_, **__: None
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if workers > 1:
        torch.set_num_threads(1)
        dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=workers)
    tokenizer = Tokenizer.from_file(str(args.init / "tokenizer.json"))
    tokenizer.encode_special_tokens = True  # "[SEP]" in a text is text, as the engine takes it
    tokenizer.no_padding()
    tokenizer.no_truncation()
    rng = random.Random(args.seed)
    groups = list(text.read(args.data))
    if args.slack:
        groups = list(matched(groups, args.slack, rng))
    items = list(sequences(groups, tokenizer, layout.Vocabulary(tokenizer), rng))
    total = sum(len(item[0].ids) for item in items)
    say(f"{len(items)} sequences, {sum(len(item[1]) for item in items)} claims, {total} tokens: {args.tokens / total:.2f} epochs", flush=True)

    torch.manual_seed(args.seed)
    net = (Grounding.load(args.weights) if args.weights else Grounding.from_bert(args.init)).to(device).train()
    opt = optimizer(net, args.rate)
    learns = [p for p in net.parameters() if p.requires_grad]
    done, step, state = 0, 0, args.out.with_suffix(".state")
    if state.exists():
        old = torch.load(state, map_location=device)
        net.load_state_dict(old["net"])
        opt.load_state_dict(old["opt"])
        done, step = old["done"], old["step"]
        say(f"goes on at step {step}", flush=True)
    began = saved = time.monotonic()
    first, mean = done, None
    for i, some in enumerate(batches(items, args.batch, args.seed)):
        if i < step:
            continue
        if done >= args.tokens:
            break
        torch.manual_seed((args.seed * 1_000_003 + step) * workers + rank)
        for g in opt.param_groups:
            g["lr"] = g["base"] * rate_at(done / args.tokens)
        figures = torch.zeros(3, device=device)
        for p in learns:
            p.grad = torch.zeros_like(p)
        if mine := team.share(some):
            classes, binary, tokens = losses(net, mine, args.beside, device)
            part = sum(len(item[1]) for item in mine) / sum(len(item[1]) for item in some)
            (part * (0.5 * classes + binary + tokens)).backward()
            figures += torch.stack([part * binary.detach(), part * tokens.detach(), figures[2]])
        figures[2] = float(args.minutes > 0 and time.monotonic() - began > args.minutes * 60)
        team.sum([figures, *(p.grad for p in learns)])
        torch.nn.utils.clip_grad_norm_(learns, 1.0)
        opt.step()
        step += 1
        done += sum(len(item[0].ids) for item in some)
        *now, stop = figures.tolist()
        if not all(map(math.isfinite, now)):
            sys.exit(f"step {step}: the loss is not a number")
        mean = now if mean is None else [0.99 * m + 0.01 * n for m, n in zip(mean, now, strict=True)]
        t = time.monotonic()
        if step % 50 == 0:
            say(f"step {step}: {done / args.tokens:.1%}, loss {mean[0]:.4f}, of tokens {mean[1]:.4f}, {(done - first) / (t - began):.0f} tokens/s", flush=True)
        if rank == 0 and (stop or t - saved > args.snapshot * 60):
            saved = t
            save(state, {"net": net.state_dict(), "opt": opt.state_dict(), "done": done, "step": step})
        if stop:
            say(f"stopped at step {step}; run it again to go on", flush=True)
            return
    if rank == 0:
        net.cpu().save(args.out)
        state.unlink(missing_ok=True)
    say(json.dumps({"steps": step, "tokens": done, "seconds": round(time.monotonic() - began), "loss": mean and mean[0], "seed": args.seed}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="windows with claims, and the lexical judge's scores")
    parser.add_argument("--init", type=Path, required=True, help="folder of the BERT to begin with, with its tokenizer.json")
    parser.add_argument("--weights", type=Path, help="trained weights to begin with in its place, as of an earlier stage")
    parser.add_argument("--out", type=Path, required=True, help="the trained weights; the state lies beside them until they are done")
    parser.add_argument("--tokens", type=float, default=18e6, help="to train on in all (default %(default).0f)")
    parser.add_argument("--batch", type=int, default=4096, help="tokens of a batch (default %(default)s)")
    parser.add_argument("--rate", type=float, default=1.6e-4, help="highest learning rate of the trunk (default %(default)s)")
    parser.add_argument("--beside", type=float, default=1.0, help="weight of the words' log-odds that the network adds to; 0 to learn alone (default %(default)s)")
    parser.add_argument("--slack", type=float, default=1.0, help="most claims of one label for each of the other, of a source and lexical score; 0 for all (default %(default)s)")
    parser.add_argument("--minutes", type=float, default=0, help="stop after this time and keep the state, to go on later")
    parser.add_argument("--snapshot", type=float, default=5, help="minutes between states (default %(default)s)")
    parser.add_argument("--workers", type=int, default=0, help="processes (default: one a processor, or one with a GPU); the result depends on it a little")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    workers = args.workers or (1 if torch.cuda.is_available() else os.cpu_count())
    if workers == 1:
        work(0, args, 1, "")
        return
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(work, (args, workers, f"{folder}/meeting"), workers)


if __name__ == "__main__":
    main()
