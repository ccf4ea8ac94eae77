#!/usr/bin/env python3
"""Trains the grounding model on words.jsonl for a number of tokens.

A checkpoint is written every few minutes, from which an interrupted run resumes.
Matrix products are computed in bfloat16, weights are float32. Without a GPU, each
worker is a single-threaded process with a share of every batch. This is faster than
threads, whose frequent synchronization is slow if other programs are running.
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

NOT_SUPPORTED = 3  # either not_mentioned or contradicted
MAX_CLAIMS = 8  # per sequence
BINS = 10  # bins of the lexical score in balanced
MARGIN = 0.02  # lexical scores are clipped to [MARGIN, 1 - MARGIN] before the logit


def balanced(groups, max_ratio, rng):
    """Yields groups with the labels balanced within each source and bin of the lexical score.

    Neither supported nor unsupported claims have more than max_ratio times the number
    of the other. So neither the source nor the lexical score predicts the label, and
    the network has to learn what the lexical judge misses.
    """
    bins = collections.defaultdict(lambda: ([], []))
    for g, group in enumerate(groups):
        for c, claim in enumerate(group["claims"]):
            b = min(int(claim["words"] * BINS), BINS - 1)
            bins[group["source"], b][claim["label"] == 0].append((g, c))
    keep = set()
    for _, pair in sorted(bins.items()):
        limit = int(max_ratio * min(map(len, pair)))
        for indexes in pair:
            keep.update(indexes if len(indexes) <= limit else rng.sample(indexes, limit))
    for g, group in enumerate(groups):
        claims = [claim for c, claim in enumerate(group["claims"]) if (g, c) in keep]
        if claims:
            yield group | {"claims": claims}


def sequences(groups, tokenizer, vocabulary, rng):
    """Yields (sequence, labels, token labels, log-odds of the lexical scores) for each group."""
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
            while k < min(len(claims), MAX_CLAIMS) and (k == 0 or n + len(claims[k][0]) < layout.MAX_TOKENS):
                n += len(claims[k][0]) + 1
                k += 1
            chunk, claims = claims[:k], claims[k:]
            yield layout.sequence(vocabulary, window, [c[0] for c in chunk]), *([c[i] for c in chunk] for i in (1, 2, 3))


def batches(items, tokens, seed):
    """Yields batches of items of similar length with up to the given number of tokens, forever."""
    epoch = 0
    while True:
        rng = random.Random(f"{seed} {epoch}")
        order = items[:]
        rng.shuffle(order)
        epoch_batches = []
        for i in range(0, len(order), 2000):
            chunk = sorted(order[i : i + 2000], key=lambda item: len(item[0].ids))
            j = 0
            while j < len(chunk):
                k = j + 1
                while k < len(chunk) and len(chunk[k][0].ids) * (k + 1 - j) <= tokens:
                    k += 1
                epoch_batches.append(chunk[j:k])
                j = k
        rng.shuffle(epoch_batches)
        yield from epoch_batches
        epoch += 1


def losses(net, items, lexical_weight, device):
    """Returns the losses of classes, of supported or not, and of tokens.

    The log-odds of the lexical score, multiplied by lexical_weight, are added to the
    logit of supported, so that the network learns to complement the lexical score.
    """
    inputs = batch([item[0] for item in items], device)
    labels = torch.tensor([y for item in items for y in item[1]], device=device)
    marks = [m for item in items for m in item[2]]
    words = torch.tensor([w for item in items for w in item[3]], device=device)
    with torch.autocast(device, dtype=torch.bfloat16):
        logits, tokens, _ = net(*inputs)
    log = F.log_softmax(torch.cat([logits[:, :1] + lexical_weight * words[:, None], logits[:, 1:]], 1).float(), 1)
    unsupported = torch.logsumexp(log[:, 1:], 1)
    known = log.gather(1, labels.clamp(max=NOT_SUPPORTED - 1)[:, None])[:, 0]
    classes = -torch.where(labels == NOT_SUPPORTED, unsupported, known).mean()
    binary = -torch.where(labels == 0, log[:, 0], unsupported).mean()
    want, mask = torch.zeros_like(tokens), torch.zeros_like(tokens)
    for i, m in enumerate(marks):
        if m is not None:
            want[i, : len(m)] = torch.tensor(m, dtype=want.dtype, device=device)
            mask[i, : len(m)] = 1
    per_token = F.binary_cross_entropy_with_logits(tokens.float(), want.float(), reduction="none", pos_weight=torch.tensor(2.0, device=device))
    return classes, binary, (per_token * mask).sum() / mask.sum().clamp(min=1)


def optimizer(net, rate):
    """Returns AdamW with 5 times the learning rate for heads and 20 times for token types."""
    net.word.weight.requires_grad_(False)
    groups = {"matrix": [], "vector": [], "head": [], "type": [net.mark.weight]}
    for name, p in net.named_parameters():
        if name.startswith(("hidden.", "classes.", "token.")):
            groups["head"].append(p)
        elif name.startswith(("word.", "mark.")):
            continue
        else:
            groups["matrix" if p.dim() > 1 else "vector"].append(p)
    options = {"matrix": (1, 0.01), "vector": (1, 0.0), "head": (5, 0.01), "type": (20, 0.0)}
    return torch.optim.AdamW(
        [{"params": p, "lr": rate * options[n][0], "base": rate * options[n][0], "weight_decay": options[n][1]} for n, p in groups.items()],
        betas=(0.9, 0.98),
        fused=True,
    )


def schedule(progress, warmup=0.04):
    """Returns the factor of the learning rate: linear warmup, then linear decay."""
    return max(min(progress / warmup, (1 - progress) / (1 - warmup)), 0.01)


def save(path, state):
    """Writes a checkpoint atomically."""
    torch.save(state, f"{path}.new")
    os.replace(f"{path}.new", path)


class ProcessGroup:
    """The processes of a run, each with a share of every batch."""

    def __init__(self, rank, count):
        self.rank, self.count = rank, count

    def share(self, items):
        """Returns the items of this process."""
        return items[self.rank :: self.count]

    def sum(self, tensors):
        """Replaces tensors by their sums over all processes."""
        if self.count > 1:
            flat = torch.cat([t.reshape(-1) for t in tensors])
            dist.all_reduce(flat)
            offset = 0
            for t in tensors:
                t.copy_(flat[offset : offset + t.numel()].view_as(t))
                offset += t.numel()


def run(rank, args, workers, rendezvous):
    """Trains in the process with the given rank; rendezvous is a file that all processes share."""
    processes = ProcessGroup(rank, workers)
    log = print if rank == 0 else lambda *_, **__: None
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if workers > 1:
        torch.set_num_threads(1)
        dist.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=workers)
    tokenizer = Tokenizer.from_file(str(args.init / "tokenizer.json"))
    tokenizer.encode_special_tokens = True  # "[SEP]" in a text is not a special token, as in internal/encoder
    tokenizer.no_padding()
    tokenizer.no_truncation()
    rng = random.Random(args.seed)
    groups = list(text.read(args.data))
    if args.max_ratio:
        groups = list(balanced(groups, args.max_ratio, rng))
    items = list(sequences(groups, tokenizer, layout.Vocabulary(tokenizer), rng))
    total = sum(len(item[0].ids) for item in items)
    log(f"{len(items)} sequences, {sum(len(item[1]) for item in items)} claims, {total} tokens: {args.tokens / total:.2f} epochs", flush=True)

    torch.manual_seed(args.seed)
    net = (Grounding.load(args.weights) if args.weights else Grounding.from_bert(args.init)).to(device).train()
    opt = optimizer(net, args.rate)
    trainable = [p for p in net.parameters() if p.requires_grad]
    done, step, checkpoint = 0, 0, args.out.with_suffix(".state")
    if checkpoint.exists():
        old = torch.load(checkpoint, map_location=device)
        net.load_state_dict(old["net"])
        opt.load_state_dict(old["opt"])
        done, step = old["done"], old["step"]
        log(f"resuming at step {step}", flush=True)
    started = saved = time.monotonic()
    first, mean = done, None
    for i, batch_items in enumerate(batches(items, args.batch, args.seed)):
        if i < step:
            continue
        if done >= args.tokens:
            break
        torch.manual_seed((args.seed * 1_000_003 + step) * workers + rank)
        for g in opt.param_groups:
            g["lr"] = g["base"] * schedule(done / args.tokens)
        totals = torch.zeros(3, device=device)
        for p in trainable:
            p.grad = torch.zeros_like(p)
        if mine := processes.share(batch_items):
            classes, binary, tokens = losses(net, mine, args.lexical_weight, device)
            share = sum(len(item[1]) for item in mine) / sum(len(item[1]) for item in batch_items)
            (share * (0.5 * classes + binary + tokens)).backward()
            totals += torch.stack([share * binary.detach(), share * tokens.detach(), totals[2]])
        totals[2] = float(args.minutes > 0 and time.monotonic() - started > args.minutes * 60)
        processes.sum([totals, *(p.grad for p in trainable)])
        torch.nn.utils.clip_grad_norm_(trainable, 1.0)
        opt.step()
        step += 1
        done += sum(len(item[0].ids) for item in batch_items)
        *current, stop = totals.tolist()
        if not all(map(math.isfinite, current)):
            sys.exit(f"step {step}: loss is not finite")
        mean = current if mean is None else [0.99 * m + 0.01 * n for m, n in zip(mean, current, strict=True)]
        t = time.monotonic()
        if step % 50 == 0:
            log(f"step {step}: {done / args.tokens:.1%}, loss {mean[0]:.4f}, token loss {mean[1]:.4f}, {(done - first) / (t - started):.0f} tokens/s", flush=True)
        if rank == 0 and (stop or t - saved > args.snapshot * 60):
            saved = t
            save(checkpoint, {"net": net.state_dict(), "opt": opt.state_dict(), "done": done, "step": step})
        if stop:
            log(f"stopped at step {step}; run again to resume", flush=True)
            return
    if rank == 0:
        net.cpu().save(args.out)
        checkpoint.unlink(missing_ok=True)
    log(json.dumps({"steps": step, "tokens": done, "seconds": round(time.monotonic() - started), "loss": mean and mean[0], "seed": args.seed}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="windows with claims and their lexical scores")
    parser.add_argument("--init", type=Path, required=True, help="directory of the BERT model to start from, with tokenizer.json")
    parser.add_argument("--weights", type=Path, help="weights to start from instead, such as those of an earlier stage")
    parser.add_argument("--out", type=Path, required=True, help="file for the trained weights; the checkpoint is next to it")
    parser.add_argument("--tokens", type=float, default=18e6, help="number of tokens to train on (default %(default).0f)")
    parser.add_argument("--batch", type=int, default=4096, help="tokens per batch (default %(default)s)")
    parser.add_argument("--rate", type=float, default=1.6e-4, help="maximum learning rate of the encoder (default %(default)s)")
    parser.add_argument("--lexical-weight", type=float, default=1.0, help="weight of the lexical log-odds added to the output; 0 to train without (default %(default)s)")
    parser.add_argument("--max-ratio", type=float, default=1.0, help="maximum ratio of labels within a source and bin of the lexical score; 0 for no limit (default %(default)s)")
    parser.add_argument("--minutes", type=float, default=0, help="stop after this time with a checkpoint; 0 for no limit")
    parser.add_argument("--snapshot", type=float, default=5, help="minutes between checkpoints (default %(default)s)")
    parser.add_argument("--workers", type=int, default=0, help="number of processes, which slightly affects the result (default: CPUs, or 1 with a GPU)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    workers = args.workers or (1 if torch.cuda.is_available() else os.cpu_count())
    if workers == 1:
        run(0, args, 1, "")
        return
    with tempfile.TemporaryDirectory() as tmp:
        mp.spawn(run, (args, workers, f"{tmp}/rendezvous"), workers)


if __name__ == "__main__":
    main()
