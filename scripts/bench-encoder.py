"""Compares the speed of models on ragfaith, ONNX Runtime and PyTorch.

Models have the shapes of published ones and random weights. Each engine is a process;
all get the same weights, token ids and number of threads, and run in short alternating
turns, so that other load affects all. Their outputs are compared first. ONNX Runtime
runs the exported graph after onnxruntime.transformers.optimizer, with all optimizations.
In int8, ONNX Runtime and PyTorch quantize dynamically.
"""

import argparse
import gc
import glob
import json
import logging
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

LABELS = [3, 209]  # output tokens of MiniCheck-Flan-T5
SPECIALS = {"[UNK]": 0, "[CLS]": 5, "[SEP]": 6}
WORDS = 1000


def deberta(**sizes):
    from transformers import DebertaV2Config, DebertaV2ForSequenceClassification as Model
    return Model, DebertaV2Config(
        vocab_size=128100, max_position_embeddings=512, position_buckets=256, relative_attention=True,
        share_att_key=True, norm_rel_ebd="layer_norm", pos_att_type=["p2c", "c2p"], position_biased_input=False,
        type_vocab_size=0, max_relative_positions=-1, pooler_hidden_size=sizes["hidden_size"],
        pooler_hidden_act="gelu", id2label=PAIR, **sizes)


def modernbert(**sizes):
    from transformers import ModernBertConfig, ModernBertForTokenClassification as Model
    return Model, ModernBertConfig(id2label=PAIR, reference_compile=False, **sizes)


def bert():
    from transformers import BertConfig, BertForSequenceClassification as Model
    return Model, BertConfig(id2label=PAIR)


def roberta():
    from transformers import RobertaConfig, RobertaForSequenceClassification as Model
    return Model, RobertaConfig(vocab_size=50265, hidden_size=1024, num_hidden_layers=24, num_attention_heads=16,
                                intermediate_size=4096, max_position_embeddings=514, type_vocab_size=1, id2label=PAIR)


def t5(Model, **sizes):
    from transformers import T5Config
    return Model, T5Config(vocab_size=32128, feed_forward_proj="gated-gelu", tie_word_embeddings=False,
                           num_labels=2, **sizes)


def hhem():
    from transformers import T5ForTokenClassification as Model
    return t5(Model, d_model=768, d_ff=2048, num_layers=12, num_heads=12, num_decoder_layers=0)


def flan():
    from transformers import T5ForConditionalGeneration as Model
    return t5(Model, d_model=1024, d_ff=2816, num_layers=24, num_heads=16)


PASSAGES = ((4, 128), (1, 512))  # numbers of pairs and of tokens in each
PAIR = {0: "not_supported", 1: "supported"}
SHAPES = {
    "bert-base": (bert, PASSAGES),
    "roberta-large": (roberta, PASSAGES),
    "deberta-v3-small": (lambda: deberta(hidden_size=768, num_hidden_layers=6, num_attention_heads=12,
                                         intermediate_size=3072), PASSAGES),
    "deberta-v3-large": (lambda: deberta(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16,
                                         intermediate_size=4096), PASSAGES),
    "tinylettuce-17m": (lambda: modernbert(hidden_size=256, num_hidden_layers=7, num_attention_heads=4,
                                           intermediate_size=384), PASSAGES + ((1, 2048),)),
    "modernbert-base": (modernbert, PASSAGES + ((1, 2048),)),
    "t5-base": (hhem, PASSAGES),
    "flan-t5-large": (flan, PASSAGES),
}


def wrap(model):
    """Returns a module that maps token ids to logits as the judge uses them."""
    import torch
    from transformers import T5ForConditionalGeneration, T5ForTokenClassification

    class Logits(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, ids):
            if isinstance(model, T5ForTokenClassification):  # HHEM reads the first token
                return model.classifier(model.transformer(ids).last_hidden_state[:, 0])
            if isinstance(model, T5ForConditionalGeneration):
                hidden = model.encoder(ids).last_hidden_state
                start = torch.zeros_like(ids[:, :1])
                out = model.decoder(start, encoder_hidden_states=hidden, use_cache=False).last_hidden_state
                return model.lm_head(out)[:, 0, LABELS]
            return model(ids, attention_mask=torch.ones_like(ids)).logits

    return Logits().eval()


def write_tokenizer(path):
    """Writes a tokenizer with one token for each of the words w0, w1 and so on."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    vocabulary = {f"unused{i}": i for i in range(10) if i not in SPECIALS.values()} | SPECIALS
    vocabulary |= {f"w{i}": i + 10 for i in range(WORDS)}
    t = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    t.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    t.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]",
        special_tokens=[(s, SPECIALS[s]) for s in ("[CLS]", "[SEP]")])
    t.save(path)
    return t


def load_model(name, directory):
    """Returns the model that write_model wrote."""
    import torch
    from safetensors.torch import load_file
    cls, config = SHAPES[name][0]()
    with torch.device("meta"):
        model = cls(config)
    state = load_file(os.path.join(directory, "model.safetensors"))
    if name == "t5-base":
        state = {k.removeprefix("t5."): v for k, v in state.items()}
        state["transformer.encoder.embed_tokens.weight"] = state["transformer.shared.weight"]
    model = cls(config) if "bert" in name or "lettuce" in name else model
    missing, unexpected = model.load_state_dict(state, strict=False, assign=True)
    if unexpected or [k for k in missing if "embed_tokens" not in k and "position_ids" not in k]:
        raise RuntimeError(f"{name}: missing {missing}, unexpected {unexpected}")
    model.tie_weights()
    return model.eval()


def write_model(name, directory):
    """Writes a model with random weights, as float32 safetensors and ONNX graphs."""
    import torch
    from safetensors.torch import save_file
    torch.manual_seed(1)
    cls, config = SHAPES[name][0]()
    config._attn_implementation = "eager"
    model = cls(config).eval()
    for key, p in model.named_parameters():
        if "norm" not in key.lower() and p.dim() > 1 and ".relative" not in key:
            torch.nn.init.normal_(p, std=1 if "shared" in key else .03)
    path = os.path.join(directory, "model.safetensors")
    if name == "t5-base":
        state = {"t5." + k: v for k, v in model.state_dict().items() if k != "transformer.encoder.embed_tokens.weight"}
        save_file({k: v.contiguous() for k, v in state.items()}, path)
        with open(os.path.join(directory, "config.json"), "w") as f:
            json.dump({"architectures": ["HHEMv2ForSequenceClassification"], "model_type": "HHEMv2",
                       "prompt": "{text1} {text2}"}, f)
    else:
        model.save_pretrained(directory)
    ids = torch.randint(10, WORDS, (2, 64))
    with torch.no_grad():
        torch.onnx.export(wrap(model), (ids,), os.path.join(directory, "plain.onnx"), input_names=["ids"],
                          output_names=["logits"], dynamic_axes={"ids": {0: "b", 1: "s"}, "logits": {0: "b"}},
                          opset_version=17, dynamo=False)
    heads = config.num_attention_heads
    return heads, config.hidden_size


def optimize(name, directory, heads, width):
    """Replaces the graph by one with fused operators, and quantizes it."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.transformers.optimizer import optimize_model
    plain, graph, quantized = (os.path.join(directory, n) for n in ("plain.onnx", "float32.onnx", "int8.onnx"))
    external = os.path.getsize(os.path.join(directory, "model.safetensors")) > 1.9e9
    logging.disable()
    if "deberta" in name:  # takes many minutes; ONNX Runtime fuses norms and activations when it loads the graph
        os.rename(plain, graph)
    else:
        optimize_model(plain, model_type="bert", num_heads=heads,
                       hidden_size=width).save_model_to_file(graph, use_external_data_format=external)
        os.remove(plain)
    gc.collect()
    quantize_dynamic(graph, quantized, weight_type=QuantType.QInt8, use_external_data_format=external,
                     extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT})


def worker(engine, model, directory, precision, threads):
    """Serves the commands of "bench encoder" with another engine."""
    if engine == "torch":
        import torch
        torch.set_num_threads(threads)
        model = load_model(model, directory)
        if precision == "int8":
            model = torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear}, dtype=torch.qint8)
        module = wrap(model)

        def compute(ids):
            with torch.inference_mode():
                return module(torch.from_numpy(ids)).numpy()
    else:
        import onnxruntime as ort
        opts = ort.SessionOptions()
        opts.intra_op_num_threads, opts.inter_op_num_threads, opts.log_severity_level = threads, 1, 3
        session = ort.InferenceSession(os.path.join(directory, precision + ".onnx"), opts,
                                       providers=["CPUExecutionProvider"])

        def compute(ids):
            return session.run(None, {"ids": ids})[0]
    print("ready", flush=True)
    for line in sys.stdin:
        command, *args = line.split()
        if command == "load":
            ids = np.load(args[0] + ".npy")
            print(flush=True)
        elif command == "scores":
            print(*compute(ids).ravel().tolist(), flush=True)
        else:
            times = []
            for _ in range(int(args[0])):
                start = time.perf_counter_ns()
                compute(ids)
                times.append(time.perf_counter_ns() - start)
            print(*times, flush=True)


class Engine:
    """A process that computes a model."""

    def __init__(self, name, directory, model, precision, args):
        self.name = name
        command = [sys.executable, __file__, "--worker", name, "--model", model]
        if name == "ragfaith":
            command = [args.binary, "encoder", "-kernel", args.kernel]
            if model == "flan-t5-large":
                command += ["-labels", ",".join(map(str, LABELS)), "-template", "{text1} {text2}"]
            if args.profile:
                command += ["-cpuprofile", f"{args.profile}-{model}-{precision}"]
        command += ["-dir" if name == "ragfaith" else "--dir", directory]
        command += [f"{'-' if name == 'ragfaith' else '--'}{k}={v}"
                    for k, v in (("precision", precision), ("threads", args.threads))]
        self.p = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                  env={**os.environ, "GOMAXPROCS": str(args.threads)})
        self.reply()

    def reply(self):
        line = self.p.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name} exited")
        return line.split()

    def send(self, *words):
        self.p.stdin.write(" ".join(map(str, words)) + "\n")
        self.p.stdin.flush()
        return self.reply()

    def run(self, times, cpu_time=False):
        """Returns the median seconds of runs, or their mean CPU time."""
        if not cpu_time:
            return statistics.median(int(ns) / 1e9 for ns in self.send("run", times))
        before = self.cpu_time()
        self.send("run", times)
        return (self.cpu_time() - before) / times

    def cpu_time(self):
        """Returns the CPU seconds of all threads, from Linux's scheduler statistics."""
        files = glob.glob(f"/proc/{self.p.pid}/task/*/schedstat")
        return sum(int(open(f).read().split()[0]) for f in files) / 1e9

    def peak(self):
        """Returns the peak resident memory in MB."""
        with open(f"/proc/{self.p.pid}/status") as f:
            return next(int(line.split()[1]) for line in f if line.startswith("VmHWM")) / 1000

    def close(self):
        self.p.stdin.close()
        self.p.wait()


def write_pairs(path, tokenizer, batch, tokens, prompt):
    """Writes pairs of the given length as texts and as token ids."""
    rng = np.random.default_rng(tokens)
    pairs, ids = [], []
    for _ in range(batch):
        words = [f"w{i}" for i in rng.integers(0, WORDS, tokens - 2 - (not prompt))]
        premise, hypothesis = " ".join(words[20:]), " ".join(words[:20])
        pairs.append([premise, hypothesis])
        encoding = tokenizer.encode(premise + " " + hypothesis) if prompt else tokenizer.encode(premise, hypothesis)
        ids.append(encoding.ids)
    with open(path, "w") as f:
        json.dump(pairs, f)
    np.save(path + ".npy", np.array(ids, np.int64))


def measure(name, directory, precision, args, reference):
    """Prints a line per case. reference has the float32 logits of PyTorch by case."""
    engines = {k: Engine(k, directory, name, precision, args) for k in args.engines.split(",")}
    for batch, tokens in SHAPES[name][1]:
        case = os.path.join(directory, f"{batch}x{tokens}")
        scores, counts, times = {}, {}, {k: [] for k in engines}
        for k, e in engines.items():
            e.send("load", case)
            start = time.perf_counter()
            scores[k] = np.array(e.send("scores"), float)
            counts[k] = max(1, round(args.seconds / (time.perf_counter() - start)))
        want = reference.setdefault(case, scores.get("torch", next(iter(scores.values()))))
        difference = {k: float(np.sqrt(np.mean((v - want) ** 2)) / np.std(want)) for k, v in scores.items()}
        for _ in range(args.turns):
            for k, e in engines.items():
                times[k].append(e.run(counts[k], args.cpu_time))
                time.sleep(.02)
        line = f"{name:18}{precision:9}{batch:>3}x{tokens:<5}"
        for k in engines:
            line += f"{batch / statistics.median(times[k]):9.2f}"
        for k in list(engines)[1:]:
            ratios = sorted(b / a for a, b in zip(times["ragfaith"], times[k]))
            line += f"{statistics.median(ratios):8.2f} ({ratios[0]:.2f}-{ratios[-1]:.2f})"
        line += "  " + "/".join(f"{e.peak():.0f}" for e in engines.values()) + " MB"
        line += "  " + " ".join(f"{d:.1e}" for d in difference.values())
        print(line, flush=True)
    for e in engines.values():
        e.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", help="tools/bench, built")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--turns", type=int, default=7, help="number of alternating turns")
    parser.add_argument("--seconds", type=float, default=1, help="duration of a turn")
    parser.add_argument("--kernel", default="", help="kernel implementation (default: the fastest)")
    parser.add_argument("--only", default="", help="run only these models")
    parser.add_argument("--precision", default="float32,int8")
    parser.add_argument("--engines", default="ragfaith,ort,torch")
    parser.add_argument("--keep", default="", help="keep the models in this directory and reuse them")
    parser.add_argument("--profile", default="", help="prefix of CPU profiles of ragfaith")
    parser.add_argument("--cpu-time", action="store_true",
                        help="measure CPU time, which other load affects less (one thread, Linux)")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--model", help=argparse.SUPPRESS)
    parser.add_argument("--dir", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        worker(args.worker, args.model, args.dir, args.precision, args.threads)
        return
    print(f"{args.threads} threads; pairs a second on {args.engines}; speed of ragfaith relative to the others, with the "
          "range over turns; peak memory; difference of logits from PyTorch in standard deviations", flush=True)
    for name in SHAPES:
        if args.only and name not in args.only.split(","):
            continue
        with tempfile.TemporaryDirectory() as temporary:
            directory = os.path.join(args.keep, name) if args.keep else temporary
            tokenizer_file = os.path.join(directory, "tokenizer.json")
            if not os.path.exists(tokenizer_file):
                os.makedirs(directory, exist_ok=True)
                subprocess.run([sys.executable, "-c", f"import sys; sys.path.insert(0, {os.path.dirname(__file__)!r})\n"
                                "b = __import__('bench-encoder')\n"
                                f"b.optimize({name!r}, {directory!r}, *b.write_model({name!r}, {directory!r}))"],
                               check=True)
            tokenizer = write_tokenizer(tokenizer_file)
            for batch, tokens in SHAPES[name][1]:
                write_pairs(os.path.join(directory, f"{batch}x{tokens}"), tokenizer, batch, tokens, "t5" in name)
            reference = {}
            for precision in args.precision.split(","):
                measure(name, directory, precision, args, reference)


if __name__ == "__main__":
    main()
