"""Scores a dataset with ragfaith on a Spark cluster.

    spark-submit --files ragfaith score_rows.py INPUT OUTPUT [--partitions N]
        [--parquet DIR] [-- FLAGS OF ragfaith score]

INPUT is JSONL (also .gz), a file or a pattern such as 'rows/*.jsonl', or a table that
Spark can read, such as a Parquet file or directory (--format parquet). OUTPUT is a new
directory with one JSONL file of results per partition. The script reads them back as a
DataFrame, prints the mean faithfulness per status, and stores the DataFrame if --parquet
is set. Arguments after -- are passed to ragfaith.

The figures and intervals are those of a single run if the results are merged:

    ragfaith report --append $(find OUTPUT -name 'part-*' -size +0 | sort)

Every row needs an id: a column id, sample_id or _id, or the one named by
`-- --map id=COLUMN`. Indexes in results and line numbers in errors count from the start
of the partition. `report --append` renumbers the rows; for JSONL the result is the index
in the whole dataset.
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

# Schema of a result of an offline judge, without columns added by --keep.
RESULT = """
    index BIGINT, id STRING, question STRING, answer STRING, contexts ARRAY<STRING>,
    faithfulness DOUBLE, support DOUBLE, confidence DOUBLE, status STRING, reason STRING,
    claims ARRAY<STRUCT<id: INT, text: STRING, lead: STRING, start: BIGINT, end: BIGINT, judged_as: STRING,
        verdict: STRING, score: DOUBLE, confidence: DOUBLE, reason: STRING, chunk_ids: ARRAY<INT>,
        evidence: ARRAY<STRUCT<chunk: INT, start: BIGINT, end: BIGINT, quote: STRING, role: STRING>>,
        unsupported: ARRAY<STRUCT<start: BIGINT, end: BIGINT>>,
        citations: ARRAY<STRUCT<text: STRING, start: BIGINT, end: BIGINT, chunk: INT, verdict: STRING>>>>,
    skipped ARRAY<STRUCT<kind: STRING, text: STRING, start: BIGINT, end: BIGINT>>,
    unjudged_share DOUBLE, error STRING,
    usage STRUCT<requests: BIGINT, prompt_tokens: BIGINT, completion_tokens: BIGINT,
        cached_requests: BIGINT>,
    citation_recall DOUBLE, citation_precision DOUBLE, unresolved_citations INT
"""

# Exit codes of a complete run: 3 means that rows failed, which are in the results, and
# 4 that a gate failed.
COMPLETE = (0, 3, 4)

# Number of bytes of stderr that the error of a partition includes.
STDERR_BYTES = 4000


def score_partition(lines, command, threads):
    """Yields the result of each line, in order.

    A single process scores all lines of a partition, so the judge is loaded once, and
    only the rows in flight are in memory. Raises an error rather than returning fewer
    results: if ragfaith fails, if the rows cannot be read, or if the numbers of rows
    and results differ.
    """
    lines = iter(lines)
    first = next(lines, None)
    if first is None:  # ragfaith rejects an empty dataset
        return
    errors, counts = [], collections.Counter()
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
            env=dict(os.environ, GOMAXPROCS=str(threads)))
        feeder = threading.Thread(
            target=_feed, args=(process, itertools.chain([first], lines), errors, counts), daemon=True)
        feeder.start()
        try:
            for line in process.stdout:
                counts["out"] += 1
                yield line.decode("utf-8").rstrip("\n")
            code = process.wait()
            feeder.join()
        finally:  # also if Spark stops reading early
            process.kill()
            process.wait()
            process.stdout.close()
        log.seek(max(0, log.seek(0, os.SEEK_END) - STDERR_BYTES))
        stderr = log.read().decode("utf-8", "replace")
    if errors:
        raise errors[0]
    if code not in COMPLETE:
        raise RuntimeError(f"{command[0]} exited with {code} after {counts['out']} results: {stderr}")
    if counts["in"] != counts["out"]:
        raise RuntimeError(f"{command[0]}: {counts['out']} results for {counts['in']} rows: {stderr}")
    sys.stderr.write(stderr)  # to the log of the executor


def _feed(process, lines, errors, counts):
    """Writes all lines to the process. Appends an error of reading them to errors."""
    try:
        with process.stdin as pipe:
            for line in lines:
                if line.strip():  # ragfaith ignores empty lines
                    counts["in"] += 1
                    pipe.write(line.encode("utf-8") + b"\n")
    except BrokenPipeError:
        pass  # the process ended early; score_partition checks its exit code and results
    except Exception as e:  # raised by lines
        errors.append(e)


def score_command(binary, flags):
    """Returns the command line for a partition. Required flags are last, so that they win."""
    return [binary, "score", "-", *flags, "--input-format", "jsonl", "--to", "jsonl", "--no-progress"]


def lacks_id(lines, flags):
    """Reports whether any of the lines, which are JSON objects, has no id."""
    names = {"id", "sample_id", "_id"}
    for flag, value in zip(flags, [*flags[1:], ""]):
        name, _, column = (value if flag == "--map" else flag.removeprefix("--map=")).partition("=")
        if name == "id":
            names = {column}
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            continue  # ragfaith reports the error
        if isinstance(row, dict) and not names & row.keys():
            return True
    return False


def locate(name):
    """Returns the path of a file distributed by --files, or else the name of a program."""
    from pyspark import SparkFiles

    path = SparkFiles.get(name)
    return path if os.path.exists(path) else name


def read_lines(spark, path, file_format, partitions):
    """Returns the rows as an RDD of JSON objects."""
    from pyspark.sql import functions as f

    if file_format == "jsonl":
        lines = spark.sparkContext.textFile(path, partitions)
    else:
        table = spark.read.format(file_format).load(path)
        # Keep nulls: a null answer differs from a missing one.
        line = f.to_json(f.struct("*"), {"ignoreNullFields": "false"})
        lines = table.select(line.alias("line")).rdd.map(lambda row: row.line)
    # Spark splits by file blocks, of which there may be fewer than cores.
    if partitions and lines.getNumPartitions() < partitions:
        lines = lines.repartition(partitions)
    return lines


def read_results(spark, path, kept=""):
    """Returns the results in a directory as a DataFrame.

    kept declares columns of --keep, such as "label INT, topic STRING".
    """
    return spark.read.schema(f"{RESULT}, {kept}" if kept else RESULT).json(path)


def main():
    own, flags = sys.argv[1:], []
    if "--" in own:
        i = own.index("--")
        own, flags = own[:i], own[i + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("--format", default="", help="input format: jsonl or a format of spark.read (default: by extension)")
    parser.add_argument("--partitions", type=int, default=0, help="minimum number of partitions")
    parser.add_argument("--parquet", help="directory for the results as Parquet")
    parser.add_argument("--kept", default="", help='columns of --keep and their types, such as "label INT, topic STRING"')
    parser.add_argument("--ragfaith", default="ragfaith", help="file distributed by --files, or a program on each machine")
    args = parser.parse_args(own)
    file_format = args.format or ("parquet" if args.input.rstrip("/").endswith(".parquet") else "jsonl")

    from pyspark.sql import SparkSession

    spark = SparkSession.builder.appName("ragfaith").getOrCreate()
    threads = int(spark.sparkContext.getConf().get("spark.task.cpus", "1"))
    lines = read_lines(spark, args.input, file_format, args.partitions)
    if lacks_id(lines.take(100), flags):
        parser.error("rows without an id: name the column with -- --map id=COLUMN")
    name = args.ragfaith
    lines.mapPartitions(
        lambda part: score_partition(part, score_command(locate(name), flags), threads)
    ).saveAsTextFile(args.output)

    # Read the files back, because evaluating the RDD again would score all rows again.
    results = read_results(spark, args.output, args.kept)
    if args.parquet:
        results.write.parquet(args.parquet)
    results.groupBy("status").agg({"*": "count", "faithfulness": "avg"}).orderBy("status").show()
    spark.stop()


if __name__ == "__main__":
    main()
