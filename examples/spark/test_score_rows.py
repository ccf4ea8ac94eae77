"""What score_rows does with a partition that goes wrong, without a Spark.

    RAGFAITH=bin/ragfaith python3 -m unittest discover examples/spark
"""

import json
import os
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


class Partition(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def program(self, script):
        """A ragfaith that does as the script says; $REAL is the real one."""
        path = os.path.join(self.folder, "ragfaith")
        with open(path, "w") as f:
            f.write(f"#!/bin/sh\nREAL='{BINARY}'\n{script}\n")
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def score(self, lines, binary=BINARY, flags=()):
        return list(score_rows.score_partition(lines, score_rows.command_of(binary, list(flags)), 1))

    def test_results_are_in_the_order_of_the_rows_and_have_their_ids(self):
        got = [json.loads(line) for line in self.score(rows(300))]
        self.assertEqual([r["id"] for r in got], [f"r{i}" for i in range(300)])
        self.assertEqual({r["status"] for r in got}, {"scored"})

    def test_an_empty_partition_has_no_results(self):
        self.assertEqual(self.score([], binary="/nowhere/ragfaith"), [])

    def test_empty_lines_are_no_rows(self):
        self.assertEqual(len(self.score([*rows(2), "", " "])), 2)

    def test_a_row_that_fails_is_a_result(self):
        got = self.score([*rows(1), '{"id":"bad","answer":"It is.","contexts":7}'])
        self.assertEqual(json.loads(got[1])["status"], "failed")
        self.assertEqual(json.loads(got[1])["id"], "bad")

    def test_flags_reach_ragfaith_and_what_it_says_of_them_comes_back(self):
        with self.assertRaisesRegex(RuntimeError, "ended with 2 after 0 results(.|\n)*nope"):
            self.score(rows(3), flags=["--judge", "nope"])

    def test_a_process_that_is_killed_is_an_error(self):
        with self.assertRaisesRegex(RuntimeError, "ended with -9"):
            self.score(rows(3), binary=self.program("kill -9 $$"))

    def test_fewer_results_than_rows_are_an_error(self):
        with self.assertRaisesRegex(RuntimeError, "4 results for 5 rows"):
            self.score(rows(5), binary=self.program('"$REAL" "$@" | sed \'$d\''))

    def test_rows_that_cannot_be_read_to_their_end_are_an_error(self):
        def broken():
            yield from rows(3)
            raise OSError("block 7 is gone")

        with self.assertRaisesRegex(OSError, "block 7 is gone"):
            self.score(broken())

    def test_a_reader_that_wants_no_more_ends_the_process(self):
        mark = os.path.join(self.folder, "pid")
        binary = self.program(f'echo $$ > "{mark}"\nexec "$REAL" "$@"')
        results = score_rows.score_partition(rows(50_000), score_rows.command_of(binary, []), 1)
        next(results)
        results.close()
        with open(mark) as f, self.assertRaises(ProcessLookupError):
            os.kill(int(f.read()), 0)

    def test_a_process_has_the_cores_of_its_task(self):
        got = list(score_rows.score_partition(["{}"], [self.program('cat >"$0.in"; echo "$GOMAXPROCS"')], 3))
        self.assertEqual(got, ["3"])


class Ids(unittest.TestCase):
    def test_rows_without_an_id_are_found(self):
        for lines, flags, want in [
            (['{"id":1}'], [], False),
            (['{"_id":1}', "broken"], [], False),
            (['{"id":1}', '{"answer":""}'], [], True),
            (['{"key":1}'], ["--map", "id=key"], False),
            (['{"key":1}'], ["--map=id=key"], False),
            (['{"id":1}'], ["--map", "id=key"], True),
            (['{"answer":1}'], ["--map", "answer=reply"], True),
        ]:
            self.assertEqual(score_rows.without_id(lines, flags), want, (lines, flags))


if __name__ == "__main__":
    unittest.main()
