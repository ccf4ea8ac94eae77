#!/usr/bin/env python3
"""Generates the golden models of this directory: a tiny model of each supported architecture.

Weights are random and vocabularies are built from the texts below. Files have the layout of released checkpoints.
cases.json contains token ids and outputs, computed by transformers in float64 with the stored weights.

    pip install torch==2.9.1 transformers==4.57.6 tokenizers==0.22.2 sentencepiece==0.2.1 protobuf==6.33.0
    python golden.py models
"""

import collections
import io
import json
import math
import shutil
import sys
import tempfile
import types
from pathlib import Path

import sentencepiece
import torch
import transformers as tf
from safetensors.torch import save_file
from sentencepiece import sentencepiece_model_pb2
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers.models.deberta_v2.modeling_deberta_v2 import make_log_bucket_position
from transformers.models.t5.modeling_t5 import T5Attention

SEED = 20240607
MAX_SENTENCE = 96
LONG = (
    "The harbour of Bergen was rebuilt after the fire of 1702, and the quay was moved twenty metres to the west. "
    "Merchants stored dried fish in wooden houses along the quay."
)
PAIRS = {
    "short": ("Bergen is in Norway.", "Bergen is a town."),
    "negated": ("The fire did not reach the harbour in 1702.", "The fire reached the harbour."),
    "numbers": ("It cost $4.5 million (about 12,000 an hour).", "v2.10.3 costs 4,5 M€ at https://example.org/a?b=c#d"),
    "empty hypothesis": ("Bergen is in Norway.", ""),
    "empty premise": ("", "Bergen is in Norway."),
    "white space": ("   ", "\n\t "),
    "accents": ("Ｆｕｌｌ ｗｉｄｔｈ ™ №", "Cafe\u0301 Zoë na\u00efve A\u030angstro\u0308m"),
    "emoji": ("Good \U0001f44d\U0001f3fd", "\U0001f1f3\U0001f1f4 \U0001f600"),
    "CJK": ("北京是首都。", "東京 서울"),
    "spaces": ("a\u00a0b\u200bc\u00add\u2028e", "tab\there    and  there\r\n"),
    "long word": ("a" * 101, "fish" * 8),
    "special tokens": ("one [SEP] two </s><s> three", "[CLS] [PAD] <pad> [MASK] <mask> <|endoftext|> end"),
    "case": ("BERGEN Is In NORWAY", "bergen is in norway"),
    "characters": ("a", "b"),
}
SINGLES = {
    "sentence": "The quay was moved to the west.",
    "empty": "",
    "only spaces": "  \t ",
    "only emoji": "\U0001f600\U0001f600",
    "only CJK": "北京",
    "only punctuation": "...!? (--)",
    "number": "12,000.50",
    "accent": "Café",
    "capitals": "MERCHANTS STORED FISH",
    "word": "harbour",
    "long": LONG,
}
TRUNCATED = [  # name, texts, strategy, max_length
    ("longest first, long premise", (LONG, "Bergen is in Norway."), "longest_first", 24),
    ("longest first, long hypothesis", ("Bergen is in Norway.", LONG), "longest_first", 24),
    ("longest first, both long", (LONG, LONG + LONG), "longest_first", 25),
    ("only first", (LONG, "A town."), "only_first", 20),
    ("only second", ("A town.", LONG), "only_second", 20),
    ("not needed", ("A town.", "A quay."), "longest_first", 60),
    ("single text", (LONG, None), "longest_first", 16),
]
HARD = [  # texts for tokenizers that map spaces to ▁ and unknown characters to bytes
    (" leading and trailing ", "  two  and   three    spaces     "),
    ("▁ ▁▁ a▁b", "\u2581the\u2581quay"),
    ("line\nline\n\nline\n\n\nline\n\n\n\nend", "\r\n\r\n\t\t\n \n"),
    ("<bos>quay<eos> <unk><mask><pad>", "<0x41> <0xFF> <unused0> <table> <unused1>"),
    ("\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f3f4\U000e0067\U000e007f", "\u0000\u0001\u007f\u0085\u00ad\ufeff\ufffd\uffff"),
    ("e\u0301\u0323 \u1e69 ﬁ ŉ", "İstanbul ß ẞ ΑΣ ς"),
    ("مرحبا ١٢٣", "नमस्ते हिन्दी ไทย"),
    ("quay" * 60, "\U0001f600" * 20),
    (" ", "a"),
    ("the quay\u00a0the\u3000quay", "the\u2009quay\u200bthe"),
]
CORPUS = [LONG, *SINGLES.values(), *(t for pair in PAIRS.values() for t in pair)] * 2

T5_LABELS = [3, 209]  # output tokens of MiniCheck that mean not supported and supported

# A small subset of nmt_nfkc, whose table has 300 kB.
RULES = {"\u00a0": " ", "\u200b": " ", "\u2028": " ", "\t": " ", "\n": " ", "\r": " ", "™": "TM", "№": "No", "e\u0301": "é"}
RULES |= {chr(c + 0xFEE0): chr(c) for c in range(0x21, 0x7F)}


def charsmap():
    """Compiles RULES to a SentencePiece normalization table."""
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as f:
        for source, target in RULES.items():
            print(*(" ".join(f"{ord(c):X}" for c in text) for text in (source, target)), sep="\t", file=f)
        f.flush()
        model = io.BytesIO()
        options = {"normalization_rule_tsv": f.name, "vocab_size": 100, "hard_vocab_limit": False, "minloglevel": 2}
        sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(CORPUS), model_writer=model, **options)
    return sentencepiece_model_pb2.ModelProto.FromString(model.getvalue()).normalizer_spec.precompiled_charsmap


def template(single, pair, specials, tok):
    return processors.TemplateProcessing(single, pair, [(s, tok.token_to_id(s)) for s in specials])


def substrings(tok, n):
    """Counts the characters and the n most frequent longer substrings of the words of the corpus.

    Unlike these, the vocabularies of the WordPiece and Unigram trainers of tokenizers are not reproducible.
    """
    counts = collections.Counter()
    for text in CORPUS:
        for word, _ in tok.pre_tokenizer.pre_tokenize_str(tok.normalizer.normalize_str(text)):
            counts.update(word[i:j] for i in range(len(word)) for j in range(i + 1, min(len(word), i + 6) + 1))
    characters = sorted(p for p in counts if len(p) == 1)
    longer = sorted((p for p in counts if len(p) > 1), key=lambda p: (-counts[p] * len(p), p))[:n]
    return {p: counts[p] for p in characters + longer}


def bert_tokenizer():
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tok = Tokenizer(models.WordPiece())
    tok.normalizer, tok.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    pieces = [p for piece in substrings(tok, 50) for p in (piece, "##" + piece)]
    tok.model = models.WordPiece({p: i for i, p in enumerate(specials + pieces)}, unk_token="[UNK]")
    tok.decoder = decoders.WordPiece()
    tok.add_special_tokens(specials)
    tok.post_processor = template("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", ["[CLS]", "[SEP]"], tok)
    return tok


def byte_tokenizer(specials):
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tok.train_from_iterator(
        CORPUS,
        trainers.BpeTrainer(vocab_size=300, special_tokens=specials, initial_alphabet=alphabet, show_progress=False),
    )
    return tok


def roberta_tokenizer():
    tok = byte_tokenizer(["<s>", "<pad>", "</s>", "<unk>"])
    tok.add_special_tokens([AddedToken("<mask>", lstrip=True, special=True)])
    tok.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    return tok


def modernbert_tokenizer():
    tok = byte_tokenizer(["<|padding|>", "<|endoftext|>"])
    tok.normalizer = normalizers.NFC()
    tok.add_tokens([AddedToken(" " * n, normalized=True) for n in (4, 3, 2)])
    tok.add_special_tokens(["[UNK]", "[CLS]", "[SEP]", "[PAD]", AddedToken("[MASK]", lstrip=True, special=True)])
    tok.post_processor = template("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", ["[CLS]", "[SEP]"], tok)
    return tok


def gemma_tokenizer():
    """Returns a tokenizer like that of mmBERT: BPE over the whole text with spaces as ▁, and bytes for unknown characters."""
    specials = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>"]
    tok = Tokenizer(models.BPE())
    tok.normalizer = normalizers.Replace(" ", "▁")
    tok.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")  # for training only
    pieces = [f"<0x{b:02X}>" for b in range(256)]
    ascii = [t for t in CORPUS if t.isascii()]
    trainer = trainers.BpeTrainer(vocab_size=420, special_tokens=specials + pieces + ["▁▁", "▁▁▁"], show_progress=False)
    tok.train_from_iterator(ascii, trainer)
    model = json.loads(tok.to_str())["model"]
    merges = [("▁", "▁"), ("▁▁", "▁")] + [tuple(m) for m in model["merges"]]
    tok = Tokenizer(models.BPE(model["vocab"], merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tok.normalizer = normalizers.Replace(" ", "▁")
    tok.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    tok.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    tok.add_special_tokens([AddedToken(s, normalized=False, special=True) for s in specials])
    tok.add_tokens([AddedToken(t, normalized=False) for t in ("\n\n", "\n\n\n", "<unused0>", "<table>")])
    tok.post_processor = template("<bos> $A <eos>", "<bos> $A <eos> $B:1 <eos>:1", ["<bos>", "<eos>"], tok)
    return tok


def unigram_tokenizer(specials, unknown, normalizer, pre_tokenizer, longer=90):
    tok = Tokenizer(models.Unigram())
    tok.normalizer, tok.pre_tokenizer = normalizer, pre_tokenizer
    counts = substrings(tok, longer)
    scores = [(p, math.log(n / sum(counts.values()))) for p, n in counts.items()]
    tok.model = models.Unigram([(s, 0.0) for s in specials] + scores, specials.index(unknown), False)
    tok.add_special_tokens(specials)
    return tok


def xlmr_tokenizer():
    split = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    tok = unigram_tokenizer(["<s>", "<pad>", "</s>", "<unk>"], "<unk>", normalizers.Precompiled(charsmap()), split)
    tok.add_special_tokens([AddedToken("<mask>", lstrip=True, special=True)])
    tok.post_processor = template("<s> $A </s>", "<s> $A </s> </s> $B </s>", ["<s>", "</s>"], tok)
    return tok


def t5_tokenizer(longer=90):
    split = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    tok = unigram_tokenizer(["<pad>", "</s>", "<unk>"], "<unk>", normalizers.Precompiled(charsmap()), split, longer)
    tok.post_processor = template("$A </s>", "$A </s> $B </s>", ["</s>"], tok)
    return tok


def deberta_tokenizer():
    squeeze = normalizers.Replace(Regex(" {2,}"), " ")
    normalizer = normalizers.Sequence([normalizers.Strip(), normalizers.Precompiled(charsmap()), squeeze])
    tok = unigram_tokenizer(["[PAD]", "[CLS]", "[SEP]", "[UNK]"], "[UNK]", normalizer, pre_tokenizers.Metaspace())
    tok.add_special_tokens(["[MASK]"])
    tok.post_processor = template("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", ["[CLS]", "[SEP]"], tok)
    return tok


def randomize(model):
    """Sets random weights with which hidden states and logits are near 1, to allow absolute tolerances."""
    torch.manual_seed(SEED)
    with torch.no_grad():
        for name, p in model.named_parameters():
            values = torch.randn_like(p)
            if p.ndim == 1:
                p.copy_(1 + values / 5 if "norm" in name.lower() and name.endswith("weight") else values / 10)
            elif "embed" in name or "shared" in name or "attention_bias" in name:
                p.copy_(values / 2)
            else:
                p.copy_(values / p.shape[1] ** 0.5)


def labels(*names):
    return {"id2label": dict(enumerate(names)), "label2id": {n: i for i, n in enumerate(names)}}


def rounded(value):
    """Rounds all floats in a JSON value to 8 significant digits."""
    if isinstance(value, float):
        return float(f"{value:.8g}")
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    return [rounded(v) for v in value] if isinstance(value, (list, tuple)) else value


def write_json(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n")


def write_cases(path, head, cases):
    lines = ",\n".join(json.dumps(rounded(c), separators=(",", ":")) for c in cases)
    path.write_text(json.dumps(rounded(head), separators=(",", ":"))[:-1] + ',"cases":[\n' + lines + "\n]}\n")


def write_tokenizer(path, tok, old_merges=False):
    file = json.loads(tok.to_str())
    if old_merges:
        file["model"]["merges"] = [" ".join(m) for m in file["model"]["merges"]]
    path.write_text(json.dumps(file, ensure_ascii=False, separators=(",", ":")) + "\n")


def inputs(kind, long):
    """Returns the cases for a kind of model as (name, text_a, text_b, truncation)."""
    cases = [(n, a, b, None) for n, (a, b) in PAIRS.items()]
    if long:  # exceeds max_position_embeddings; only for models with relative positions
        cases.append(("long", LONG, LONG, None))
    if kind == "gemma":
        cases += [(f"hard {i}", a, b, None) for i, (a, b) in enumerate(HARD)]
    if kind in ("hhem", "t5"):
        return [*cases, ("pad token", "one <pad> two", "three", None)]
    if kind == "embed":
        limit = {"strategy": "longest_first", "max_length": MAX_SENTENCE}
        cases = cases[:3] + [(n, a, None, limit) for n, a in SINGLES.items()]
    else:
        cases.append(("sentence", SINGLES["sentence"], None, None))
    return cases + [(n, a, b, {"strategy": s, "max_length": m}) for n, (a, b), s, m in TRUNCATED]


def encode(tok, a, b, truncation):
    if truncation:
        tok.enable_truncation(truncation["max_length"], strategy=truncation["strategy"])
    else:
        tok.no_truncation()
    return tok.encode(a) if b is None else tok.encode(a, b)


def run_cases(model, tok, kind, uses_types, long, prompt=None):
    cases = []
    for name, a, b, truncation in inputs(kind, long):
        text = prompt.replace("{text1}", a).replace("{text2}", b) if prompt else a
        e = encode(tok, text, None if prompt else b, truncation)
        args = {"input_ids": torch.tensor([e.ids]), "attention_mask": torch.tensor([e.attention_mask])}
        if uses_types:
            args["token_type_ids"] = torch.tensor([e.type_ids])
        case = {"name": name, "text_a": a, "text_b": b, "truncation": truncation, "input_ids": e.ids}
        if uses_types:
            case["token_type_ids"] = e.type_ids
        if kind == "t5":
            args["decoder_input_ids"] = torch.zeros(1, 1, dtype=torch.long)
        with torch.no_grad():
            out = model(**args)
        if kind == "embed":
            case["embedding"] = torch.nn.functional.normalize(out.last_hidden_state[0].mean(0), dim=0).tolist()
        elif kind == "hhem":
            case["logits"] = out.logits[0, 0].tolist()
            case["score"] = out.logits[0, 0].softmax(0)[1].item()
        elif kind == "t5":
            case["logits"] = out.logits[0, 0, T5_LABELS].tolist()
        else:
            case["logits"] = out.logits[0].tolist()
        if kind in ("tokencls", "gemma"):
            case["offsets"], case["sequence_ids"] = e.offsets, e.sequence_ids
        cases.append(case)
    return cases


def write_model(out, name, kind, cls, config, tok, dtype=torch.float32, long=False, head=None, prompt=None):
    path = out / name
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    model = cls(config).eval()
    randomize(model)
    model.to(dtype)
    if kind == "hhem":
        state = {f"t5.{k}": v for k, v in model.state_dict().items() if "embed_tokens" not in k}
        save_file(state, path / "model.safetensors", metadata={"format": "pt"})
    else:
        model.save_pretrained(path)
        (path / "generation_config.json").unlink(missing_ok=True)
    write_tokenizer(path / "tokenizer.json", tok, old_merges=name == "roberta")
    if kind == "hhem":
        model.to(torch.float64)
    else:  # reload, because to(dtype) also rounded buffers such as rotary frequencies
        model = cls.from_pretrained(path, dtype=torch.float64, attn_implementation="eager").eval()
    uses_types = kind not in ("hhem", "t5") and getattr(config, "type_vocab_size", 0) > 1
    cases = run_cases(model, tok, kind, uses_types, long, prompt)
    head = {"kind": kind} | ({"prompt": prompt} if prompt else {}) | (head or {})
    write_cases(path / "cases.json", head, cases)
    return path


BERT = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 28}


def write_bert(out):
    tok = bert_tokenizer()
    size = {"vocab_size": tok.get_vocab_size(), "max_position_embeddings": 160, "attn_implementation": "eager"}
    config = tf.BertConfig(**BERT, **size, **labels("contradiction", "neutral", "entailment"))
    path = write_model(out, "bert", "seqcls", tf.BertForSequenceClassification, config, tok)
    write_json(path / "tokenizer_config.json", {"model_max_length": 128})

    config = tf.BertConfig(**BERT, **size)
    path = write_model(out, "bert-sentence", "embed", tf.BertModel, config, tok)
    steps = [("Transformer", ""), ("Pooling", "1_Pooling"), ("Normalize", "2_Normalize")]
    modules = [{"idx": i, "name": str(i), "path": p, "type": f"sentence_transformers.models.{t}"} for i, (t, p) in enumerate(steps)]
    write_json(path / "modules.json", modules)
    write_json(path / "sentence_bert_config.json", {"max_seq_length": MAX_SENTENCE, "do_lower_case": False})
    (path / "1_Pooling").mkdir()
    pooling = {"word_embedding_dimension": 16, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}
    write_json(path / "1_Pooling" / "config.json", pooling)


def write_roberta(out):
    common = {"type_vocab_size": 1, "layer_norm_eps": 1e-5, "attn_implementation": "eager"}
    special = {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}
    tok = roberta_tokenizer()
    size = {"vocab_size": tok.get_vocab_size(), "max_position_embeddings": 162}
    config = tf.RobertaConfig(**BERT, **size, **common, **special, **labels("not_entailment", "entailment"))
    write_model(out, "roberta", "seqcls", tf.RobertaForSequenceClassification, config, tok)

    tok = xlmr_tokenizer()
    size["vocab_size"] = tok.get_vocab_size()
    config = tf.XLMRobertaConfig(**BERT, **size, **common, **special, **labels("entailment", "neutral", "contradiction"))
    cls = tf.XLMRobertaForSequenceClassification
    write_model(out, "xlm-roberta", "seqcls", cls, config, tok, dtype=torch.float16)


class AlignScore(torch.nn.Module):
    """The network of AlignScore (src/alignscore/model.py): heads on the pooled token of RoBERTa."""

    def __init__(self, config):
        super().__init__()
        self.base_model = tf.RobertaModel(config)
        self.mlm_head = tf.RobertaForMaskedLM(config).lm_head
        for name, n in [("bin_layer", 2), ("tri_layer", 3), ("reg_layer", 1)]:
            self.add_module(name, torch.nn.Linear(config.hidden_size, n))

    def forward(self, **args):
        return types.SimpleNamespace(logits=self.tri_layer(self.base_model(**args).pooler_output))


def lightning_dict():
    """Returns a class like that of an object which PyTorch Lightning stores beside the weights."""
    parsing = types.ModuleType("pytorch_lightning.utilities.parsing")
    parsing.AttributeDict = type("AttributeDict", (dict,), {"__module__": parsing.__name__})
    for name in ("pytorch_lightning", "pytorch_lightning.utilities", parsing.__name__):
        sys.modules[name] = parsing
    return parsing.AttributeDict


def write_alignscore(out):
    path = out / "alignscore"
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    tok = roberta_tokenizer()
    config = tf.RobertaConfig(
        **BERT | {"hidden_size": 8},
        vocab_size=tok.get_vocab_size(),
        max_position_embeddings=162,
        type_vocab_size=1,
        layer_norm_eps=1e-5,
        architectures=["RobertaForMaskedLM"],
        attn_implementation="eager",
    )
    config.save_pretrained(path)  # of roberta-base
    write_tokenizer(path / "tokenizer.json", tok)
    model = AlignScore(config).eval()
    randomize(model)
    content = {"epoch": 2, "state_dict": model.state_dict(), "hyper_parameters": lightning_dict()(model="roberta-base")}
    torch.save(content, path / "AlignScore-base.ckpt")
    cases = run_cases(model.double(), tok, "seqcls", False, False)
    write_cases(path / "cases.json", {"kind": "seqcls"}, cases)


def write_deberta(out):
    write_deberta_model(out, "deberta-v2", labels("entailment", "neutral", "contradiction"), {"hidden_size": 20})
    write_deberta_model(out, "deberta-judge", labels("0", "1"), {"hidden_size": 8, "num_hidden_layers": 1})


def write_deberta_model(out, name, names, size):
    tok = deberta_tokenizer()
    config = tf.DebertaV2Config(
        **BERT | size,
        **names,
        vocab_size=tok.get_vocab_size() + 9,  # more rows than tokens, as in released models
        max_position_embeddings=64,
        relative_attention=True,
        share_att_key=True,
        norm_rel_ebd="layer_norm",
        position_biased_input=False,
        pos_att_type=["p2c", "c2p"],
        position_buckets=8,
        type_vocab_size=0,
        pooler_hidden_act="gelu",
        pooler_dropout=0,
    )
    distances = torch.arange(600)
    buckets = {"values": make_log_bucket_position(distances, 32, 512).int().tolist()}
    cls = tf.DebertaV2ForSequenceClassification
    write_model(out, name, "seqcls", cls, config, tok, long=True, head={"bucket_of_distance": buckets})


def write_modernbert(out):
    tok, names = modernbert_tokenizer(), ["[PAD]", "[CLS]", "[SEP]"]
    size = {"hidden_size": 16, "num_hidden_layers": 4, "num_attention_heads": 2, "intermediate_size": 20}
    for name, kind, cls, extra in [
        ("modernbert", "seqcls", tf.ModernBertForSequenceClassification, labels("contradiction", "entailment", "neutral")),
        ("modernbert-tokens", "tokencls", tf.ModernBertForTokenClassification, {}),
        ("mmbert-tokens", "gemma", tf.ModernBertForTokenClassification, labels("supported", "hallucinated")),
    ]:
        if kind == "gemma":
            tok, names = gemma_tokenizer(), ["<pad>", "<bos>", "<eos>"]
        ids = {f"{k}_token_id": tok.token_to_id(t) for k, t in zip(["pad", "cls", "sep"], names)}
        config = tf.ModernBertConfig(
            **size,
            **ids | {"bos_token_id": ids["cls_token_id"], "eos_token_id": ids["sep_token_id"]},
            **extra,
            vocab_size=tok.get_vocab_size(),
            max_position_embeddings=64,
            global_attn_every_n_layers=3,
            local_attention=16,
            global_rope_theta=80000.0,
            local_rope_theta=5000.0,
            classifier_pooling="mean",
            attn_implementation="eager",
            reference_compile=False,
        )
        path = write_model(out, name, kind, cls, config, tok, dtype=torch.bfloat16, long=True)
        file = json.loads((path / "config.json").read_text())
        # transformers 5 uses this form for layer types and rotary embeddings.
        thetas = {"full_attention": file.pop("global_rope_theta"), "sliding_attention": file.pop("local_rope_theta")}
        every = file.pop("global_attn_every_n_layers")
        file["layer_types"] = ["sliding_attention" if i % every else "full_attention" for i in range(4)]
        file["rope_parameters"] = {k: {"rope_theta": v, "rope_type": "default"} for k, v in thetas.items()}
        write_json(path / "config.transformers5.json", file)


T5 = {"d_model": 12, "d_kv": 8, "num_heads": 3, "d_ff": 20, "num_layers": 2, "feed_forward_proj": "gated-gelu"}


def write_hhem(out):
    tok = t5_tokenizer()
    config = tf.T5Config(
        **T5,
        vocab_size=tok.get_vocab_size(),
        relative_attention_num_buckets=32,
        relative_attention_max_distance=128,
        num_labels=2,
    )
    distances = torch.arange(600)
    bucket = T5Attention._relative_position_bucket
    buckets = {k: bucket(d, num_buckets=32, max_distance=128).tolist() for k, d in [("neg", -distances), ("pos", distances)]}
    prompt = "<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {text1}\n\nHypothesis: {text2}"
    head = {"bucket_of_distance": buckets}
    cls = tf.T5ForTokenClassification
    path = write_model(out, "hhem", "hhem", cls, config, tok, long=True, head=head, prompt=prompt)
    architecture = "HHEMv2ForSequenceClassification"
    write_json(path / "config.json", {"architectures": [architecture], "model_type": "HHEMv2", "prompt": prompt})


def write_t5(out):
    tok = t5_tokenizer(150)  # more than 209 pieces
    config = tf.T5Config(
        **T5,
        vocab_size=tok.get_vocab_size(),
        num_decoder_layers=3,
        tie_word_embeddings=False,
        decoder_start_token_id=0,
    )
    write_model(out, "t5", "t5", tf.T5ForConditionalGeneration, config, tok, long=True, prompt="predict: {text1}</s>{text2}")


def main():
    out = Path(sys.argv[1])
    torch.set_num_threads(1)
    for write in (write_bert, write_roberta, write_alignscore, write_deberta, write_modernbert, write_hhem, write_t5):
        write(out)


if __name__ == "__main__":
    main()
