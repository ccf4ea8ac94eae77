"""Test the answers of a RAG system with pytest: the mean, and each row.

Replace answers.jsonl with what your system answers, and run pytest.
"""

from pathlib import Path

import pytest
import ragfaith

ANSWERS = Path(__file__).with_name("answers.jsonl")
SCORES = ragfaith.score(ANSWERS, no_claims=1).set_index("id")


def test_mean_faithfulness(assert_faithful):
    assert_faithful(ANSWERS, min_mean=0.9, no_claims=1)


@pytest.mark.parametrize("id", SCORES.index)
def test_answer_is_supported(id):
    row = SCORES.loc[id]
    assert row.status != "failed", row.error
    unsupported = [claim["text"] for claim in row.claims if claim["verdict"] != "supported"]
    assert not unsupported
