#!/usr/bin/env python3
"""Writes parity.json: chunks and probabilities of published judges for 50 pairs of document and claim.

The chunks are cut as the inference code of each judge cuts them, with a smaller size, and scored by transformers with
the tiny models of internal/encoder. Sentences end at ". ", "。" and line breaks.

    pip install torch==2.9.1 transformers==4.57.6 tokenizers==0.22.2 sentencepiece==0.2.1 protobuf==6.33.0 nltk==3.10.4
    python parity.py ../../../encoder/testdata/models parity.json
"""

import json
import random
import re
import sys
from pathlib import Path

import torch
import transformers as tf
from nltk.tokenize import NLTKWordTokenizer
from safetensors.torch import load_file
from tokenizers import Tokenizer

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parents[3] / "encoder" / "testdata"))
from golden import HARD, LONG, PAIRS, T5, T5_LABELS, AlignScore, lightning_dict  # noqa: E402

WORDS = (
    "the harbour of Bergen was rebuilt after the fire of 1702 and the quay moved twenty metres to the west merchants "
    "stored dried fish in wooden houses along it, (however) café Zoë 12,000.50 well-known it's v2.10.3 Straße № 北京 👍🏽"
).split()
GAPS = ["\n", "\n\n", "\n\n\n", "  ", " \n", "\nA heading\n", "\r\n"]
FACTCG = (
    '{text1}\n\nChoose your answer: based on the paragraph above can we conclude that "{text2}"?\n\n'
    "OPTIONS:\n- Yes\n- No\nI think the answer is "
)
HHEM = "<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {text1}\n\nHypothesis: {text2}"


def sentence(rng, low, high):
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(low, high))).capitalize() + "."


def texts():
    """Returns short, long, empty and unusual pairs, and documents with several paragraphs."""
    rng = random.Random(5)
    pairs = [*PAIRS.values(), *HARD[:7], (LONG + " " + LONG, "The quay was moved."), ("北京是首都。 " * 12, "北京是首都。")]
    while len(pairs) < 50:
        n = len(pairs) % 5 * 9 + 1  # sentences
        document = "".join(
            sentence(rng, 3, 7) + rng.choice(GAPS) if rng.random() < 0.4 else sentence(rng, 3, 7) + " " for _ in range(n)
        ).strip()
        pairs.append((document, " ".join(sentence(rng, 2, 4) for _ in range(1 + len(pairs) % 3))))
    return [(document, claim.strip()) for document, claim in pairs]


def sentences(text):
    return [s.strip() for s in re.split(r"(?<=\. )|(?<=。)|\n", text) if s.strip()]


def punctuated(text):
    """Returns sentences as NLTK finds them: a line break alone does not end one."""
    return [s.strip() for s in re.split(r"(?<=[.?!])\s*\n|(?<=\. )|(?<=。)", text) if s.strip()]


def packed(items, size, count, join):
    """Joins items greedily into chunks of at most the given size."""
    chunks, current, used = [], [], 0
    for item in items:
        n = count(item)
        if current and used + n > size:
            chunks.append(join.join(current))
            current, used = [], 0
        current.append(item)
        used += n
    return chunks + [join.join(current)] * bool(current)


def minicheck(count):
    def chunks(document, size):
        items = []
        for line in document.split("\n"):
            items += [*sentences(line), "\n"]
        found = [c.replace(" \n ", "\n").strip() for c in packed(items[:-1], size, count, " ")]
        return [c for c in found if c]

    return chunks


def factcg(document, size):
    words = NLTKWordTokenizer()
    return packed(sentences(document), size, lambda s: len(words.tokenize(s)), "\n")


def alignscore(document, size):
    found = punctuated(document)
    n = max(len(found) // (len(document.split()) // size + 1), 1)
    return [" ".join(found[i : i + n]) for i in range(0, len(found), n)]


def without_specials(path):
    """Returns a tokenizer that has other names for special tokens, so that no text contains any."""
    file = json.loads(Path(path).read_text())
    names = {t["content"]: f"\ue000{t['id']}" for t in file["added_tokens"]}
    vocabulary = file["model"]["vocab"]
    if isinstance(vocabulary, list):
        vocabulary = [[names.get(piece, piece), score] for piece, score in vocabulary]
    else:
        vocabulary = {names.get(piece, piece): i for piece, i in vocabulary.items()}
    file["model"]["vocab"] = vocabulary
    return Tokenizer.from_str(json.dumps(file | {"added_tokens": [], "post_processor": None, "truncation": None}))


class Judge:
    def __init__(self, directory, cls=None, template="", start="", end=""):
        """A template is one text for both; special tokens are those in it, start and end, but none in the texts."""
        path = str(directory / "tokenizer.json")
        self.special, self.template, self.start, self.end = Tokenizer.from_file(path).token_to_id, template, start, end
        self.tokenizer = without_specials(path)
        if cls:
            self.model = cls.from_pretrained(directory, dtype=torch.float64, attn_implementation="eager").eval()

    def encode(self, text):
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def count(self, text):
        return len(self.encode(text))

    def ids(self, document, claim):
        ids = []
        for part in [self.start, *re.split(r"(</s>|\[SEP\]|<pad>)", self.template), self.end]:
            special = self.special(part)
            text = part.replace("{text1}", document).replace("{text2}", claim)
            ids += self.encode(text) if special is None else [special]
        return ids

    def logits(self, ids):
        return self.model(input_ids=ids).logits[0]

    def probability(self, document, claim, label):
        with torch.no_grad():
            return self.logits(torch.tensor([self.ids(document, claim)])).softmax(-1)[label].item()


class T5Judge(Judge):
    def logits(self, ids):
        return self.model(input_ids=ids, decoder_input_ids=torch.zeros(1, 1, dtype=torch.long)).logits[0, 0, T5_LABELS]


class HHEMJudge(Judge):
    def __init__(self, directory, **options):
        super().__init__(directory, **options)
        size = self.tokenizer.get_vocab_size()
        self.model = tf.T5ForTokenClassification(tf.T5Config(**T5, vocab_size=size, num_labels=2)).eval()
        state = {k.removeprefix("t5."): v for k, v in load_file(directory / "model.safetensors").items()}
        assert all("embed_tokens" in k for k in self.model.load_state_dict(state, strict=False).missing_keys)
        self.model.double()

    def logits(self, ids):
        return self.model(input_ids=ids).logits[0, 0]


class AlignScoreJudge(Judge):
    def __init__(self, directory, **options):
        super().__init__(directory, **options)
        self.model = AlignScore(tf.RobertaConfig.from_pretrained(directory, attn_implementation="eager")).eval()
        lightning_dict()
        self.model.load_state_dict(torch.load(directory / "AlignScore-base.ckpt", weights_only=False)["state_dict"])
        self.model.double()


def main():
    models = Path(sys.argv[1])
    pair = tf.AutoModelForSequenceClassification
    roberta = Judge(models / "roberta", pair, "{text1}</s>{text2}", "<s>", "</s>")
    deberta = Judge(models / "deberta-judge", pair, "{text1}[SEP]{text2}", "[CLS]", "[SEP]")
    t5 = T5Judge(models / "t5", tf.T5ForConditionalGeneration, "predict: {text1}</s>{text2}", end="</s>")
    judges = [  # repository, model, judge, supported label, chunker, chunk size, limit
        ("lytang/MiniCheck-RoBERTa-Large", "roberta", roberta, 1, minicheck(roberta.count), 80, 160),
        ("lytang/MiniCheck-DeBERTa-v3-Large", "deberta-judge", deberta, 1, minicheck(deberta.count), 90, 400),
        ("lytang/MiniCheck-Flan-T5-Large", "t5", t5, 1, minicheck(lambda s: len(s.split())), 30, 400),
        ("yaxili96/FactCG-DeBERTa-v3-Large", "deberta-judge", Judge(models / "deberta-judge", pair, FACTCG, "[CLS]", "[SEP]"), 1, factcg, 33, 800),
        ("yzha/AlignScore", "alignscore", AlignScoreJudge(models / "alignscore", template="{text1}</s></s>{text2}", start="<s>", end="</s>"), 0, alignscore, 12, 160),
        ("vectara/hallucination_evaluation_model", "hhem", HHEMJudge(models / "hhem", template=HHEM, end="</s>"), 1, None, 0, 0),
        ("cross-encoder/nli-deberta-v3-base", "deberta-v2", Judge(models / "deberta-v2", pair, "{text1}[SEP]{text2}", "[CLS]", "[SEP]"), 0, None, 0, 0),
    ]
    pairs = texts()
    out = []
    for repo, model, judge, label, chunker, size, limit in judges:
        rows = []
        for document, claim in pairs:
            chunks = chunker(document, size) if chunker else [document]
            claims = punctuated(claim) if chunker == alignscore else [claim]
            assert not limit or all(len(judge.ids(c, s)) <= limit for c in chunks for s in claims), "truncated by the original"
            rows.append([[round(judge.probability(c, s, label), 6) for c in chunks] for s in claims or [claim]])
        out.append({"repo": repo, "model": model, "chunk": size, "limit": limit, "probabilities": rows})
    lines = ",\n".join(json.dumps(x, separators=(",", ":")) for x in out)
    pairs = ",\n".join(json.dumps(p, ensure_ascii=False) for p in pairs)
    Path(sys.argv[2]).write_text(f'{{"texts":[\n{pairs}\n],"judges":[\n{lines}\n]}}\n')


main()
