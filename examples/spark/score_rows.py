"""Scores a dataset with ragfaith on a Spark cluster.

    spark-submit --files ragfaith score_rows.py INPUT OUTPUT [--partitions N]
        [--parquet FOLDER] [-- FLAGS OF ragfaith score]

INPUT is JSONL (also .gz), as one file or a pattern such as 'rows/*.jsonl', or a table
that Spark reads, such as Parquet or a folder of it (--format parquet). OUTPUT is
a folder that is not there yet: each partition becomes a file of results as ragfaith
writes them, one object a line. They are read back as a DataFrame, whose figures are
printed and which --parquet stores for queries. What stands behind -- goes to ragfaith
as it is.

The figures and the interval of one run, to the last digit, come from

    ragfaith report --append $(find OUTPUT -name 'part-*' -size +0 | sort)

A row is known by its id, so every row needs one: a column id, sample_id or _id, or
one named by `-- --map id=COLUMN`. The index in a result, and the line in an error, are
those in its partition; report --append counts on from one to the next, which for JSONL
is the index that one run gives.
"""

import argparse
import collections
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading

# A line of results as a row of Spark. Columns of --keep are added to it.
RESULT = """
    index BIGINT, id STRING, question STRING, answer STRING, contexts ARRAY<STRING>,
    faithfulness DOUBLE, support DOUBLE, status STRING, reason STRING,
    claims ARRAY<STRUCT<id: INT, text: STRING, start: BIGINT, end: BIGINT, verdict: STRING,
        score: DOUBLE, reason: STRING, chunk_ids: ARRAY<INT>,
        evidence: ARRAY<STRUCT<chunk: INT, start: BIGINT, end: BIGINT, quote: STRING, role: STRING>>>>,
    skipped ARRAY<STRUCT<kind: STRING, text: STRING, start: BIGINT, end: BIGINT>>,
    error STRING,
    usage STRUCT<requests: BIGINT, prompt_tokens: BIGINT, completion_tokens: BIGINT,
        cached_requests: BIGINT>
"""

# With these the results are whole: 3 and 4 say that rows failed or that a gate did,
# and a row that failed is in the results.
WHOLE = (0, 3, 4)

# As much of what ragfaith says goes into the error of a partition.
SAID_BYTES = 4000


def score_partition(lines, command, threads):
    """Yields the result of each line, in their order.

    All lines go through one process, so a judge is loaded once for a partition, and
    no more rows are held than are in flight. A partition that is not whole is an
    error, never fewer results: where the process fails, where reading the rows does,
    and where it says that all is well and has not answered each row.
    """
    lines = iter(lines)
    first = next(lines, None)
    if first is None:  # for ragfaith a dataset without rows is a mistake
        return
    trouble, counts = [], collections.Counter()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said,
            env=dict(os.environ, GOMAXPROCS=str(threads)))
        feeder = threading.Thread(
            target=_feed, args=(process, itertools.chain([first], lines), trouble, counts), daemon=True)
        feeder.start()
        try:
            for line in process.stdout:
                counts["out"] += 1
                yield line.decode("utf-8").rstrip("\n")
            code = process.wait()
            feeder.join()
        finally:  # also where Spark wants no more rows
            process.kill()
            process.wait()
            process.stdout.close()
        said.seek(max(0, said.seek(0, os.SEEK_END) - SAID_BYTES))
        words = said.read().decode("utf-8", "replace")
    if trouble:
        raise trouble[0]
    if code not in WHOLE:
        raise RuntimeError(f"{command[0]} ended with {code} after {counts['out']} results: {words}")
    if counts["in"] != counts["out"]:
        raise RuntimeError(f"{command[0]}: {counts['out']} results for {counts['in']} rows: {words}")
    sys.stderr.write(words)  # into the log of the executor


def _feed(process, lines, trouble, counts):
    """Writes all lines to the process, and keeps an error of theirs."""
    try:
        with process.stdin as pipe:
            for line in lines:
                if line.strip():  # an empty line is no row
                    counts["in"] += 1
                    pipe.write(line.encode("utf-8") + b"\n")
    except BrokenPipeError:
        pass  # it ended before the rows did: its exit code says why, or the count
    except Exception as e:  # of reading: ragfaith sees an end, and the partition is not whole
        trouble.append(e)


def command_of(binary, flags):
    """The command line of a partition. What has to be so for it comes last and wins."""
    return [binary, "score", "-", *flags, "--input-format", "jsonl", "--to", "jsonl", "--no-progress"]


def without_id(lines, flags):
    """Whether there is a row without an id among the lines, which are JSON objects."""
    names = {"id", "sample_id", "_id"}
    for flag, value in zip(flags, [*flags[1:], ""]):
        name, _, column = (value if flag == "--map" else flag.removeprefix("--map=")).partition("=")
        if name == "id":
            names = {column}
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            continue  # ragfaith says what is wrong with it
        if isinstance(row, dict) and not names & row.keys():
            return True
    return False


def shipped(name):
    """Where an executor has what --files has sent, or else a program by its name."""
    from pyspark import SparkFiles

    path = SparkFiles.get(name)
    return path if os.path.exists(path) else name


def read_lines(spark, path, form, partitions):
    """The rows as an RDD of JSON objects, a line each."""
    from pyspark.sql import functions as f

    if form == "jsonl":
        lines = spark.sparkContext.textFile(path, partitions)
    else:
        table = spark.read.format(form).load(path)
        # A null stays one: a row whose answer is null is not one without an answer.
        whole = f.to_json(f.struct("*"), {"ignoreNullFields": "false"})
        lines = table.select(whole.alias("line")).rdd.map(lambda row: row.line)
    # Splits follow the blocks of files, which may be fewer than there are cores.
    if partitions and lines.getNumPartitions() < partitions:
        lines = lines.repartition(partitions)
    return lines


def read_results(spark, folder, kept=""):
    """The results in a folder as a DataFrame; kept is such as "label INT, topic STRING"."""
    return spark.read.schema(f"{RESULT}, {kept}" if kept else RESULT).json(folder)


def main():
    own, flags = sys.argv[1:], []
    if "--" in own:
        at = own.index("--")
        own, flags = own[:at], own[at + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("--format", default="", help="of the input: jsonl, or what spark.read knows; by its name without")
    parser.add_argument("--partitions", type=int, default=0, help="at least so many, else as Spark splits the input")
    parser.add_argument("--parquet", help="a folder for the results as Parquet")
    parser.add_argument("--kept", default="", help='columns of --keep and their types: "label INT, topic STRING"')
    parser.add_argument("--ragfaith", default="ragfaith", help="name of the file of --files, or of a program on each machine")
    o = parser.parse_args(own)
    form = o.format or ("parquet" if o.input.rstrip("/").endswith(".parquet") else "jsonl")

    from pyspark.sql import SparkSession

    spark = SparkSession.builder.appName("ragfaith").getOrCreate()
    threads = int(spark.sparkContext.getConf().get("spark.task.cpus", "1"))
    lines = read_lines(spark, o.input, form, o.partitions)
    if without_id(lines.take(100), flags):
        parser.error("rows without an id: name the column with -- --map id=COLUMN")
    name = o.ragfaith
    lines.mapPartitions(
        lambda part: score_partition(part, command_of(shipped(name), flags), threads)
    ).saveAsTextFile(o.output)

    # What was written is read again: no row is judged twice.
    results = read_results(spark, o.output, o.kept)
    if o.parquet:
        results.write.parquet(o.parquet)
    results.groupBy("status").agg({"*": "count", "faithfulness": "avg"}).orderBy("status").show()
    spark.stop()


if __name__ == "__main__":
    main()
