"""Tests of the Python package, against the installed wheel."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

import ragfaith

CONTEXTS = ["The bridge opened in 1932. It is 898 metres long."]


@pytest.fixture
def rows() -> pd.DataFrame:
    answers = ["The bridge opened in 1932.", "The bridge opened in 1950.", None]
    return pd.DataFrame({"question": "When?", "answer": answers, "contexts": [CONTEXTS] * 3}, index=["a", "b", "c"])


def test_scores_of_a_frame_have_its_index(rows: pd.DataFrame) -> None:
    scores = ragfaith.score(rows)
    assert list(scores.index) == ["a", "b", "c"]
    assert list(scores.status) == ["scored", "scored", "failed"]
    assert list(scores.faithfulness[:2]) == [1, 0] and pd.isna(scores.faithfulness["c"])
    assert "answer: want a string" in scores.error["c"]
    assert scores.claims["b"][0]["verdict"] == "contradicted"
    assert scores.attrs["summary"]["rows"]["failed"] == 1
    assert "faithfulness" in rows.join(scores[["faithfulness"]])


def test_scores_of_a_list(rows: pd.DataFrame) -> None:
    dicts = [{"id": "x", "answer": "It opened in 1932.", "contexts": rows.contexts.to_numpy()[0]}, {"id": "y", "answer": "It is 898 metres long.", "contexts": pd.Series(CONTEXTS).to_numpy()}]
    scores = ragfaith.score(dicts)
    assert list(scores.id) == ["x", "y"] and list(scores.faithfulness) == [1, 1]
    arrays = pd.DataFrame(dicts, index=["p", "q"])
    assert list(ragfaith.score(arrays).index) == ["p", "q"]


def test_assert_faithful(assert_faithful, rows: pd.DataFrame) -> None:
    good, bad = rows[:1].to_dict("records") * 30, rows[1:2].to_dict("records") * 30
    assert len(assert_faithful(good, min_lower=0.8)) == 30
    with pytest.raises(AssertionError, match="0: 0.0: The bridge opened in 1950"):
        assert_faithful(bad, min_lower=0.8)
    with pytest.raises(ragfaith.GateError, match="failed"):
        assert_faithful([*good, {"answer": None, "contexts": CONTEXTS}], min_mean=0.5)
    with pytest.raises(ragfaith.UsageError, match="no gate"):
        assert_faithful(good)


def test_score_of_a_path(tmp_path: Path, rows: pd.DataFrame) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("id,reply,contexts\n007,It opened in 1932.,It opened in 1932.\n")
    scores = ragfaith.score(path, map={"answer": "reply"}, keep=["reply"], output=tmp_path / "report.html", config="none")
    assert list(scores.id) == ["007"] and list(scores.reply) == ["It opened in 1932."]
    assert (tmp_path / "report.html").exists()


def test_gate_carries_the_result(rows: pd.DataFrame) -> None:
    with pytest.raises(ragfaith.GateError, match=r"mean faithfulness 0\.5000 < 0\.90") as caught:
        ragfaith.score(rows, min_mean=0.9)
    assert list(caught.value.result.status) == ["scored", "scored", "failed"]
    with pytest.raises(ragfaith.GateError, match="1 failed row "):
        ragfaith.score(rows, max_failed=0)
    assert len(ragfaith.score(rows, min_mean=0.5, strict=None)) == 3


def test_errors_have_the_message_of_the_command(rows: pd.DataFrame) -> None:
    with pytest.raises(ragfaith.Error, match="^nowhere.jsonl: no such file"):
        ragfaith.score("nowhere.jsonl")
    for options in ({"judg": "lexical"}, {"min_mean": 2}, {"to": "json"}, {"dry_run": True}):
        with pytest.raises(ragfaith.UsageError):
            ragfaith.score(rows, **options)


def test_warnings(rows: pd.DataFrame) -> None:
    with pytest.warns(UserWarning, match="^the threshold is 0"):
        ragfaith.score(rows, threshold=0)


def test_compare(tmp_path: Path, rows: pd.DataFrame) -> None:
    rows = pd.concat([rows[:2]] * 10, ignore_index=True)
    better, worse = ragfaith.score(rows), ragfaith.score(rows.assign(answer="It closed."), output=tmp_path / "worse.jsonl")
    for candidate in (worse, tmp_path / "worse.jsonl"):
        comparison = ragfaith.compare(better, candidate)
        assert comparison["difference"]["estimate"] == -0.5
        assert not [w for w in comparison["warnings"] if "summary" in w]
    with pytest.raises(ragfaith.GateError, match="dropped|drop") as caught:
        ragfaith.compare(better, worse, max_drop=0.1)
    assert caught.value.result["changed"] == 10


def test_module_is_the_command() -> None:
    for arguments, code in ((["version"], 0), (["score", "nowhere.jsonl"], 1)):
        done = subprocess.run([sys.executable, "-m", "ragfaith", *arguments], capture_output=True, text=True)
        assert done.returncode == code
        assert "ragfaith" in done.stdout + done.stderr


def test_binary_of_the_environment_variable(monkeypatch: pytest.MonkeyPatch, rows: pd.DataFrame) -> None:
    monkeypatch.setenv("RAGFAITH_BINARY", "/nowhere/ragfaith")
    with pytest.raises(FileNotFoundError):
        ragfaith.score(rows)


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to one process")
def test_interrupt_ends_the_command(tmp_path: Path) -> None:
    # The stand-in for the command reports its process id and never ends.
    command = tmp_path / "ragfaith"
    command.write_text(f"#!/bin/sh\necho $$ >{tmp_path}/pid.part\nmv {tmp_path}/pid.part {tmp_path}/pid\nexec sleep 600\n")
    command.chmod(0o755)
    program = "import ragfaith; ragfaith.score('rows.jsonl')"
    process = subprocess.Popen([sys.executable, "-c", program], env={**os.environ, "RAGFAITH_BINARY": str(command)}, stderr=subprocess.PIPE,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # a background job ignores it
    deadline = time.monotonic() + 60
    while not (tmp_path / "pid").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert b"KeyboardInterrupt" in errors
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
