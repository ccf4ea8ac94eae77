"""Tests of score_rows that need no Spark.

    RAGFAITH=bin/ragfaith python3 -m unittest discover examples/spark
"""

import json
import os
import re
import stat
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import score_rows  # noqa: E402

BINARY = os.environ.get("RAGFAITH", "ragfaith")


def rows(n):
    return [json.dumps({"id": f"r{i}", "answer": f"The sky is blue over field {i}.",
                        "contexts": ["The sky is blue over field 1."]}) for i in range(n)]


class ScorePartitionTest(unittest.TestCase):
    def setUp(self):
        tmp = tempfile.TemporaryDirectory()
        self.addCleanup(tmp.cleanup)
        self.dir = tmp.name

    def program(self, script):
        """Returns the path of a fake ragfaith that runs a shell script; $REAL is the real one."""
        path = os.path.join(self.dir, "ragfaith")
        with open(path, "w") as f:
            f.write(f"#!/bin/sh\nREAL='{BINARY}'\n{script}\n")
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def score(self, lines, binary=BINARY, flags=()):
        return list(score_rows.score_partition(lines, score_rows.score_command(binary, list(flags)), 1))

    def test_results_keep_order_and_ids(self):
        got = [json.loads(line) for line in self.score(rows(300), flags=["--judge", "lexical"])]
        self.assertEqual([r["id"] for r in got], [f"r{i}" for i in range(300)])
        self.assertEqual({r["status"] for r in got}, {"scored"})

    def test_schema_has_all_keys(self):
        line = json.dumps({"question": "Is the sky blue?", "answer": "Yes. The sky was painted in 1950 [1].\n\nBenefits:\n- low cost [7]", "contexts": ["The sky is blue."]})
        row = json.loads(self.score([line])[0])
        names = set(re.findall(r"(\w+):? (?:INT|BIGINT|DOUBLE|STRING|ARRAY|STRUCT)\b", score_rows.RESULT))
        found = set(row) | {key for claim in row["claims"] for key in claim}
        self.assertLessEqual({"judged_as", "lead", "unsupported", "unresolved_citations"}, found)
        self.assertLessEqual(found, names)

    def test_empty_partition_has_no_results(self):
        self.assertEqual(self.score([], binary="/nowhere/ragfaith"), [])

    def test_empty_lines_are_ignored(self):
        self.assertEqual(len(self.score([*rows(2), "", " "])), 2)

    def test_failed_row_is_a_result(self):
        got = self.score([*rows(1), '{"id":"bad","answer":"It is.","contexts":7}'])
        self.assertEqual(json.loads(got[1])["status"], "failed")
        self.assertEqual(json.loads(got[1])["id"], "bad")

    def test_error_includes_stderr(self):
        with self.assertRaisesRegex(RuntimeError, "exited with 2 after 0 results(.|\n)*nope"):
            self.score(rows(3), flags=["--judge", "nope"])

    def test_killed_process_is_an_error(self):
        with self.assertRaisesRegex(RuntimeError, "exited with -9"):
            self.score(rows(3), binary=self.program("kill -9 $$"))

    def test_missing_results_are_an_error(self):
        with self.assertRaisesRegex(RuntimeError, "4 results for 5 rows"):
            self.score(rows(5), binary=self.program('"$REAL" "$@" | sed \'$d\''))

    def test_read_error_is_raised(self):
        def failing():
            yield from rows(3)
            raise OSError("block 7 is missing")

        with self.assertRaisesRegex(OSError, "block 7 is missing"):
            self.score(failing())

    def test_closing_the_generator_ends_the_process(self):
        pid_file = os.path.join(self.dir, "pid")
        binary = self.program(f'echo $$ > "{pid_file}"\nexec "$REAL" "$@"')
        results = score_rows.score_partition(rows(50_000), score_rows.score_command(binary, []), 1)
        next(results)
        results.close()
        with open(pid_file) as f, self.assertRaises(ProcessLookupError):
            os.kill(int(f.read()), 0)

    def test_process_uses_the_cores_of_its_task(self):
        got = list(score_rows.score_partition(["{}"], [self.program('cat >"$0.in"; echo "$GOMAXPROCS"')], 3))
        self.assertEqual(got, ["3"])


class LacksIdTest(unittest.TestCase):
    def test_lacks_id(self):
        for lines, flags, want in [
            (['{"id":1}'], [], False),
            (['{"_id":1}', "broken"], [], False),
            (['{"id":1}', '{"answer":""}'], [], True),
            (['{"key":1}'], ["--map", "id=key"], False),
            (['{"key":1}'], ["--map=id=key"], False),
            (['{"id":1}'], ["--map", "id=key"], True),
            (['{"answer":1}'], ["--map", "answer=reply"], True),
        ]:
            self.assertEqual(score_rows.lacks_id(lines, flags), want, (lines, flags))


if __name__ == "__main__":
    unittest.main()
