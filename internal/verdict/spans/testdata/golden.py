#!/usr/bin/env python3
"""Writes lettucedetect.json: spans that the lettucedetect package finds with the tiny ModernBERT of internal/encoder.

    pip install torch==2.9.1 transformers==4.57.6 lettucedetect==0.2.3
    python golden.py ../../../encoder/testdata/models/modernbert-tokens lettucedetect.json
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


def main():
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as directory:
        shutil.copytree(sys.argv[1], directory, dirs_exist_ok=True)
        config = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 10**6}
        Path(directory, "tokenizer_config.json").write_text(json.dumps(config))
        detector = TransformerDetector(directory, device="cpu")
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
    lines = ",\n".join(json.dumps(c, ensure_ascii=False) for c in cases)
    Path(sys.argv[2]).write_text(f"[\n{lines}\n]\n")


main()
