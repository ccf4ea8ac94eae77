"""Score how far RAG answers are supported by their retrieved contexts.

The functions run the ragfaith command, which is part of this package. Options are its
flags with underscores (``min_mean=0.9`` is ``--min-mean 0.9``): True for a switch, a list
for a repeatable flag, a dict for ``map``. None leaves an option out.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence, Union

from ._command import Error, GateError, UsageError, find_binary, run

if TYPE_CHECKING:
    import pandas

__all__ = ["Error", "GateError", "UsageError", "assert_faithful", "compare", "find_binary", "score"]

Data = Union[str, "os.PathLike[str]", "pandas.DataFrame"]
Rows = Union[Data, Sequence[Mapping[str, Any]]]
Scalar = Union[str, float, bool, "os.PathLike[str]", None]
Option = Union[Scalar, Sequence[Scalar], Mapping[str, Scalar]]

_REQUIRED = {"faithfulness", "support", "confidence", "reason", "unjudged_share", "error"}  # null in a row of results, not left out


def score(data: Rows, **options: Option) -> pandas.DataFrame:
    """Score each row of a dataset, which is a path, a DataFrame or a list of dicts.

    The result has a row for each row of the dataset: id, question, answer, contexts,
    faithfulness, support, status, reason, claims (a list of dicts) and more. Its index is
    that of the DataFrame, or the position in the file. ``.attrs["summary"]`` has the
    totals as a dict.

    Rows that can't be read or judged have the status "failed" and an error; they raise
    nothing unless ``max_failed`` is given. A gate that is not met, such as ``min_mean``,
    raises GateError, which carries the result. Needs pandas.
    """
    import pandas

    _refuse(options, "to", "dry_run")
    options.setdefault("max_failed", "100%")
    with tempfile.TemporaryDirectory(prefix="ragfaith-") as name:
        results = Path(name, "results.jsonl")
        summary = Path(str(options.pop("summary", None) or Path(name, "summary.json")))
        arguments = ["score", *_flags(options), "--to=none", f"--output={results}", f"--summary={summary}"]
        if isinstance(data, (pandas.DataFrame, Sequence)) and not isinstance(data, str):
            dataset = Path(name, "dataset.jsonl")
            if isinstance(data, pandas.DataFrame):
                _write_frame(dataset, data)
            else:
                dataset.write_text("".join(json.dumps(row, ensure_ascii=False, default=_plain) + "\n" for row in data), "utf-8", "surrogatepass")
            # By stdin, since messages name the file.
            messages = run([*arguments, "--input-format=jsonl", "-"], dataset)
        else:
            messages = run([*arguments, "--", os.fspath(data)])
        with results.open(encoding="utf-8") as lines:
            frame = pandas.DataFrame([json.loads(line) for line in lines])
        totals: dict[str, Any] = json.loads(summary.read_text("utf-8"))
    if not frame.empty:
        position = frame.pop("index")
        frame.index = data.index[position.to_numpy()] if isinstance(data, pandas.DataFrame) else pandas.Index(position)
        frame.index.name = data.index.name if isinstance(data, pandas.DataFrame) else None
        types = {"faithfulness": "float64", "support": "float64", "confidence": "float64", "unjudged_share": "float64", "unresolved_citations": "Int64"}
        frame = frame.astype({name: type_ for name, type_ in types.items() if name in frame})
    frame.attrs["summary"] = totals
    messages.warn(stacklevel=2)
    if messages.gate_failed:
        failed = [gate["text"] for gate in totals["gates"] if not gate["passed"]]
        raise GateError("; ".join(failed), frame)
    return frame


def assert_faithful(data: Rows, **gates: Option) -> pandas.DataFrame:
    """Score rows as score does, and raise GateError with the worst rows unless a gate is met.

    At least one of the gates is needed: ``min_lower`` (the lower bound of the 95% interval
    of the mean), ``min_mean`` and so on. Other options are those of score. Failed rows
    raise GateError too, unless ``max_failed`` allows them.
    """
    if not any(name.startswith("min_") and value is not None for name, value in gates.items()):
        raise UsageError("no gate: want min_lower, min_mean or another one")
    try:
        return score(data, **{"max_failed": 0, **gates})
    except GateError as error:
        worst = error.result.sort_values("faithfulness", na_position="first").head(5)
        lines = [f"  {row.id}: {row.status if row.status == 'failed' else row.faithfulness}: {str(row.answer)[:100]}" for row in worst.itertuples()]
        raise GateError("\n".join([str(error), "the worst rows:", *lines]), error.result) from None


def compare(baseline: Data, candidate: Data, **options: Option) -> dict[str, Any]:
    """Compare two runs over the same rows: results of score, or paths of result files.

    The result is the JSON of ``ragfaith compare``. A drop beyond ``max_drop`` raises
    GateError, which carries it.
    """
    _refuse(options, "to")
    with tempfile.TemporaryDirectory(prefix="ragfaith-") as name:
        files = [_results(Path(name), side, data) for side, data in (("baseline", baseline), ("candidate", candidate))]
        output = Path(name, "comparison.json")
        messages = run(["compare", *_flags(options), "--to=none", f"--output={output}", "--", *files])
        result: dict[str, Any] = json.loads(output.read_text("utf-8"))
    messages.warn(stacklevel=2)
    if messages.gate_failed:
        raise GateError(result["gate"]["text"], result)
    return result


def _refuse(options: Mapping[str, Option], *names: str) -> None:
    for name in names:
        if name in options:
            raise UsageError(f"{name}: not available in Python; run the command")


def _flags(options: Mapping[str, Option]) -> Iterator[str]:
    """Return the flags of options, in the form --flag=value."""
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if isinstance(value, Mapping):
            values: Sequence[Scalar] = [f"{key}={column}" for key, column in value.items()]
        elif isinstance(value, Sequence) and not isinstance(value, str):
            values = value
        else:
            values = [value]
        for item in values:
            if isinstance(item, bool):
                yield f"{flag}={str(item).lower()}"
            elif item is not None:
                yield f"{flag}={os.fspath(item) if isinstance(item, os.PathLike) else item}"


def _plain(value: Any) -> Any:
    """Return a value that JSON can hold: a list for an array, a number for a scalar of NumPy."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _write_frame(path: Path, frame: pandas.DataFrame) -> None:
    frame.to_json(path, orient="records", lines=True, force_ascii=False, date_format="iso", double_precision=15, default_handler=str)


def _results(directory: Path, side: str, data: Data) -> str:
    """Return the path of a result file: that of data, or one written from a result."""
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data)
    import pandas

    path = directory / f"{side}.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for position, row in enumerate(data.to_dict("records")):
            # A missing value is NaN or NA in a frame, and null or nothing in a result.
            fields = {str(k): None if pandas.api.types.is_scalar(v) and pandas.isna(v) else v for k, v in row.items()}
            fields = {k: v for k, v in fields.items() if v is not None or k in _REQUIRED}
            file.write(json.dumps({"index": position, **fields}, ensure_ascii=False, default=str) + "\n")
    if summary := data.attrs.get("summary"):
        path.with_suffix(".summary.json").write_text(json.dumps(summary), "utf-8")
    return str(path)

