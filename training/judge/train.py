"""train.py DATA OUT: train the judge on OUT/train.npz until it is stopped, and continue where it was stopped.

Every 10 minutes, and on SIGTERM or SIGINT, everything is written to OUT/state.pt. The batches are a function of epoch and position,
the masks of dropout a function of the step, so on a processor a run that was killed and continued ends with the same weights.
OUT/eval.jsonl gets a line for each evaluation. The weights that are evaluated and exported are a moving average.
"""
import argparse
import collections
import copy
import json
import os
import signal
import time

import numpy as np
import torch

import evaluate
import export
from model import HEADS, PASSAGE, Batch, Dropout, Judge, batches_of, check_frozen, frozen_checksum, loss, tokenizer

WARM_UP = 200  # steps
AVERAGE = 0.999  # per step
EVALUATION = 500  # seconds, after which an evaluation leaves out the rest
PAIRS = 1 / 2  # tokens of public pairs for each token of written claims
KNOWN, KNOWN_SHARE = ("c", "q"), 3  # of the sources whose claims the network has learned by heart, an epoch has each third group


class Groups:
    """The groups of train.npz, as Batch wants them. Of the written claims, only those of sources that start with written."""

    def __init__(self, path, written=""):
        cache = np.load(path)
        self.tokens, self.labels, self.wrong, self.source = (cache[name] for name in ("tokens", "labels", "wrong", "source"))
        self.sources = [str(s) for s in cache["sources"]]
        self.ends = np.concatenate([[0], np.cumsum(cache["lengths"], dtype=np.int64)])
        self.first = np.concatenate([np.flatnonzero(self.labels == PASSAGE), [len(self.labels)]])
        self.size = self.ends[self.first[1:]] - self.ends[self.first[:-1]]
        self.held_out = np.flatnonzero(cache["held_out"])
        chosen = np.array([s.startswith(tuple(written.split(","))) for s in self.sources])[self.source]
        self.claims = np.flatnonzero(cache["claims"] & chosen & ~cache["held_out"])
        self.known = np.array([s.startswith(KNOWN) for s in self.sources])[self.source[self.claims]]
        self.pairs = np.flatnonzero(~cache["claims"] & ~cache["held_out"])
        self.pairs_per_epoch = int(PAIRS * self.size[self.of_epoch(0)].sum() / self.size[self.pairs].mean())

    def __getitem__(self, k):
        a, b = self.first[k], self.first[k + 1]
        tokens, wrong = ([x[self.ends[p]:self.ends[p + 1]] for p in range(a, b)] for x in (self.tokens, self.wrong))
        return tokens, self.labels[a + 1:b].tolist(), wrong

    def of_epoch(self, number):
        return self.claims[~self.known | (np.arange(len(self.claims)) % KNOWN_SHARE == number % KNOWN_SHARE)]

    def epoch(self, number, tokens):
        """Batches of an epoch, as lists of group numbers: the written claims, and the next share of the public pairs."""
        n, total = self.pairs_per_epoch, len(self.pairs)
        pairs = []
        for pass_ in range(number * n // total, (number + 1) * n // total + 1):
            order = np.random.default_rng((1, pass_)).permutation(self.pairs)
            pairs.append(order[max(0, number * n - pass_ * total):(number + 1) * n - pass_ * total])
        random = np.random.default_rng((2, number))
        order = random.permutation(np.concatenate([self.of_epoch(number), *pairs]))
        batches = [order[items] for items in batches_of(self.size[order], tokens)]
        return [batches[k] for k in random.permutation(len(batches))]


class Trainer:
    def __init__(self, args):
        self.args = args
        torch.set_num_threads(args.threads)
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.tokens = args.tokens or (32768 if self.device == "cuda" else 2048)
        self.net = Judge(torch.load(args.out + "/encoder/base.pt"), args.frozen).to(self.device)
        if args.init:
            export.load(self.net, args.init)
        self.dropout = Dropout().to(self.device)
        self.average = copy.deepcopy(self.net)
        self.groups = Groups(args.out + "/train.npz", args.written)
        self.tok = tokenizer(args.out + "/encoder")
        trained = self.net.trained()
        self.optimizer = torch.optim.AdamW([{"params": [p for k, p in trained.items() if k.startswith(HEADS) == head]}
                                            for head in (False, True)], lr=0.0, weight_decay=0.01, fused=True)
        self.at = {"epoch": 0, "position": 0, "step": 0, "tokens": 0, "decay_from": None, "seconds": 0.0}
        self.path = args.out + "/state.pt"
        if os.path.exists(self.path):
            self.restore()
        if args.decay_tokens and self.at["decay_from"] is None:
            self.at["decay_from"] = self.at["tokens"]
        self.stopped = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self.stop)

    def stop(self, *_):
        self.stopped = True

    def restore(self):
        state = torch.load(self.path, map_location=self.device)
        check_frozen(self.net, self.net.trained(), state)
        for name in ("net", "average"):
            getattr(self, name).load_state_dict(state[name], strict=False)
        self.optimizer.load_state_dict(state["optimizer"])
        self.at, tokens = state["at"], state["tokens"]
        assert tokens == self.tokens, f"the run was started with --tokens {tokens}"

    def save(self):
        torch.save({"net": self.net.trained(), "average": self.average.trained(), "optimizer": self.optimizer.state_dict(),
                    "at": self.at, "tokens": self.tokens, "frozen": frozen_checksum(self.net, self.net.trained())}, self.path + ".new")
        os.replace(self.path + ".new", self.path)

    def rate(self):
        """Share of the peak rate: linear warm-up, then constant, then (with --decay-tokens) linear to zero."""
        share = min(1.0, (self.at["step"] + 1) / WARM_UP)
        if self.args.decay_tokens and self.at["decay_from"] is not None:
            share *= max(0.0, 1 - (self.at["tokens"] - self.at["decay_from"]) / self.args.decay_tokens)
        return share

    def step(self, groups):
        """Returns the loss and, for each claim, whether "supported or not" was right."""
        batch = Batch([self.groups[k] for k in groups], self.device)
        self.dropout.start(self.at["step"])
        logits, tokens = self.net(batch, self.dropout)
        value = loss(logits, tokens, batch)
        self.optimizer.zero_grad()
        value.backward()
        torch.nn.utils.clip_grad_norm_(self.net.trained().values(), 1.0)
        for group, peak in zip(self.optimizer.param_groups, (self.args.rate, 5 * self.args.rate)):
            group["lr"] = peak * self.rate()
        self.optimizer.step()
        self.at["step"] += 1
        self.at["tokens"] += batch.tokens
        weight = 1 - min(AVERAGE, self.at["step"] / (self.at["step"] + 10))
        with torch.no_grad():
            torch._foreach_lerp_(list(self.average.trained().values()), list(self.net.trained().values()), weight)
        return value.item(), ((logits.argmax(1) == 0) == (batch.labels == 0)).tolist()

    def evaluate(self):
        result = self.at | evaluate.everything(self.average, self.tok, self.args.data, self.groups, self.device, EVALUATION)
        with open(self.args.out + "/eval.jsonl", "a") as f:
            f.write(json.dumps(result) + "\n")
        print("evaluated", flush=True)

    def done(self):
        stop = self.args.stop_tokens and self.at["tokens"] >= self.args.stop_tokens
        return self.stopped or stop or self.rate() == 0

    def run(self):
        at, right, losses = self.at, collections.deque(maxlen=2000), collections.deque(maxlen=100)
        last_log = last_save = last_eval = time.time()
        logged = at["tokens"]
        print(f"{len(self.groups.claims)} groups of claims, {len(self.groups.pairs)} of pairs, {self.groups.pairs_per_epoch} an epoch; "
              f"{self.device}, epoch {at['epoch']} position {at['position']}", flush=True)
        while not self.done():
            batches = self.groups.epoch(at["epoch"], self.tokens)
            while at["position"] < len(batches) and not self.done():
                start = time.time()
                value, ok = self.step(batches[at["position"]])
                at["position"] += 1
                losses.append(value)
                right.extend(ok)
                now = time.time()
                at["seconds"] += now - start
                if now - last_log > 60:
                    print(f"epoch {at['epoch']} batch {at['position']}/{len(batches)} step {at['step']} tokens {at['tokens']} "
                          f"{(at['tokens'] - logged) / (now - last_log):.0f} tokens/s loss {np.mean(losses):.3f} "
                          f"right {np.mean(right):.3f}", flush=True)
                    last_log, logged = now, at["tokens"]
                if now - last_save > self.args.save_every:
                    self.save()
                    last_save = time.time()
                if self.args.eval_every and now - last_eval > self.args.eval_every:
                    self.evaluate()
                    last_eval = last_log = time.time()
            if at["position"] == len(batches):
                at["epoch"], at["position"] = at["epoch"] + 1, 0
        self.save()
        if not self.stopped and self.args.eval_every:
            self.evaluate()


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("data")
    p.add_argument("out")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--init", help="start from a file of export.py")
    p.add_argument("--rate", type=float, default=1e-4, help="learning rate of the encoder; that of the head is 5 times as high")
    p.add_argument("--tokens", type=int, help="tokens in a batch (2048, on a GPU 32768)")
    p.add_argument("--frozen", type=int, default=0, help="first layers that are not trained")
    p.add_argument("--decay-tokens", type=int, help="lower the rate to zero over N tokens from now on, then stop")
    p.add_argument("--written", default="", help="train on written claims of sources that start with one of these, such as r,e")
    p.add_argument("--stop-tokens", type=int, help="stop after N tokens")
    p.add_argument("--save-every", type=float, default=600, help="seconds between checkpoints")
    p.add_argument("--eval-every", type=float, default=2700, help="seconds between evaluations")
    return p.parse_args()


if __name__ == "__main__":
    Trainer(arguments()).run()
