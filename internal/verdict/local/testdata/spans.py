#!/usr/bin/env python3
"""Writes spans that the lettucedetect package finds with the tiny ModernBERTs of internal/encoder.

lettucedetect2.json has the prompt of version 2, which the package itself does not write.

    pip install torch==2.9.1 transformers==4.57.6 lettucedetect==0.2.3
    python spans.py ../../../encoder/testdata/models .
"""

import json
import random
import shutil
import sys
import tempfile
from pathlib import Path

from lettucedetect.detectors.transformer import TransformerDetector

WORDS = (
    "the harbour of Bergen was rebuilt after the fire of 1702 and the quay was moved twenty metres to the west "
    "merchants stored dried fish in wooden houses along it café Zoë 北京 是 首都 № 12,000.50 👍🏽 v2.10.3"
).split()


def text(rng, low, high):
    words = [rng.choice(WORDS) for _ in range(rng.randint(low, high))]
    return " ".join(words).capitalize() + "."


HARD = [  # answers for tokenizers that map spaces to ▁
    " The quay  was   moved. ", "▁the▁quay", "line\n\nline\n\n\n\nend", "<bos>quay<eos> <0x41>", "👨\u200d👩\u200d👧 İstanbul ﬁ e\u0301",
    "مرحبا ١٢٣", "quay" * 30, "a", "😀" * 9, "tab\there\u00a0and\u3000there",
]


def open_detector(directory, model):
    shutil.copytree(model, directory, dirs_exist_ok=True)
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 10**6}
    Path(directory, "tokenizer_config.json").write_text(json.dumps(config))
    return TransformerDetector(directory, device="cpu")


def write(path, cases):
    lines = ",\n".join(json.dumps(c, ensure_ascii=False) for c in cases)
    path.write_text(f"[\n{lines}\n]\n")


def version1(models, out):
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as directory:
        detector = open_detector(directory, models / "modernbert-tokens")
        cases = []
        for i in range(50):
            detector.max_length = [100_000, 600, 500][i % 3]
            contexts = [text(rng, 3, 15) for _ in range(rng.randint(1, 9))]
            question = text(rng, 3, 8) if i % 5 else None
            answer = text(rng, 1, 20)
            groups = detector._group_passages_into_chunks(contexts, question, answer)
            tokens = detector.predict(contexts, answer, question)[:-1]  # without the separator
            spans = detector.predict(contexts, answer, question, output_format="spans")
            cases.append({
                "question": question or "", "contexts": contexts, "answer": answer, "limit": detector.max_length,
                "groups": [len(g) for g in groups], "probabilities": [round(t["prob"], 7) for t in tokens],
                "spans": [[s["start"], s["end"]] for s in spans],
            })
    write(out / "lettucedetect.json", cases)


def version2(models, out):
    rng = random.Random(11)
    with tempfile.TemporaryDirectory() as directory:
        detector = open_detector(directory, models / "mmbert-tokens")
        detector.tokenizer.split_special_tokens = True  # <bos> in a text is text
        detector.max_length = 100_000
        cases = []
        for i in range(50):
            contexts = [text(rng, 3, 10) for _ in range(rng.randint(1, 4))]
            question = text(rng, 3, 8) if i % 5 else ""
            answer = HARD[i] if i < len(HARD) else text(rng, 1, 12)
            prompt = "\n\n".join(contexts)
            if question:
                prompt = f"User request: {question}\n\n{prompt}"
            tokens = detector.predict_prompt(prompt, answer)[:-1]
            spans = detector.predict_prompt(prompt, answer, output_format="spans")
            cases.append({
                "question": question, "contexts": contexts, "answer": answer, "limit": detector.max_length, "groups": [len(contexts)],
                "probabilities": [round(t["prob"], 6) for t in tokens], "spans": [[s["start"], s["end"]] for s in spans],
            })
    write(out / "lettucedetect2.json", cases)


def main():
    models, out = map(Path, sys.argv[1:])
    version1(models, out)
    version2(models, out)


main()
