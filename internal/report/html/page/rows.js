// The columns of the table, and the filtering and sorting of its rows.

// Verdicts have a word and a sign, since color alone is not accessible.
const VERDICTS = {
  supported: { word: "supported", sign: "✓" },
  contradicted: { word: "contradicted", sign: "✗" },
  not_mentioned: { word: "not mentioned", sign: "?" },
};
const UNJUDGED = { word: "not judged", sign: "–" };

// Labels of evidence by its role. Evidence for a supported claim has no role.
const ROLES = {
  contradicts: { mark: "Contradicts claim", quote: "Contradicts it, chunk", legend: "✗ contradicts a claim" },
  nearest: { mark: "Nearest passage to claim", quote: "Nearest passage, chunk", legend: "? nearest to a claim, but does not support it" },
};

const MAX_CELL = 400; // characters, more than fits into a cell

const STATUSES = { scored: "scored", no_claims: "no claims", unjudged: "unjudged", failed: "failed", skipped: "skipped" };

const claimsOf = (row) => row.supported + row.contradicted + row.notMentioned;
const unsupportedOf = (row) => row.contradicted + row.notMentioned;
const formatScore = (x) => (x === null ? "–" : x.toFixed(2));
const formatCount = (n) => n.toLocaleString("en-US");

// COLUMNS are the columns of the table, with their sort key and cell content. The confidence
// is left out if no verdict has one; that of a row without one is 0.
const COLUMNS = [
  { key: "index", head: "#", sortKey: (row) => row.index, cell: (row) => String(row.index) },
  { key: "id", head: "Id", sortKey: (row) => row.id, cell: (row) => row.id },
  { key: "question", head: "Question", sortKey: (row) => row.question, cell: (row) => row.question },
  { key: "answer", head: "Answer", sortKey: (row) => row.answer, cell: answerCell },
  { key: "claims", head: "Claims", sortKey: (row) => (claimsOf(row) ? unsupportedOf(row) : null), cell: claimsCell },
  { key: "faithfulness", head: "Score", sortKey: (row) => row.faithfulness, cell: (row) => formatScore(row.faithfulness) },
  { key: "support", head: "Support", sortKey: (row) => row.support, cell: (row) => formatScore(row.support) },
  { key: "confidence", head: "Confidence", sortKey: (row) => row.confidence || null, cell: (row) => formatScore(row.confidence || null) },
  { key: "status", head: "Status", sortKey: (row) => STATUSES[row.status], cell: statusCell },
].filter(({ key }) => key !== "confidence" || byId("grid").classList.contains("confident"));

// answerCell shows the first unsupported claim of an answer or its beginning, and the error
// of a failed row.
function answerCell(row) {
  if (row.status === "failed") {
    return make("span", { className: "trouble" }, write(make("bdi"), row.reason));
  }
  if (unsupportedOf(row) === 0) {
    return row.answer;
  }
  const { word, sign } = VERDICTS[row.contradicted > 0 ? "contradicted" : "not_mentioned"];
  const from = utf16Offsets(row.answer)(row.excerpt);
  return make("span", {}, make("span", { className: "sign", title: `first claim ${word}` }, sign),
    write(make("bdi"), row.answer.slice(from, from + MAX_CELL)));
}

// claimsCell shows the number of claims with each verdict.
function claimsCell(row) {
  const cell = document.createDocumentFragment();
  const counts = { supported: row.supported, contradicted: row.contradicted, not_mentioned: row.notMentioned };
  for (const [verdict, n] of Object.entries(counts)) {
    if (n > 0) {
      cell.append(make("span", { className: `tally ${verdict}`, title: `${n} ${VERDICTS[verdict].word}` },
        make("span", { "aria-hidden": "true" }, `${n} ${VERDICTS[verdict].sign}`),
        make("span", { className: "visually-hidden" }, `${n} ${VERDICTS[verdict].word} `)));
    }
  }
  return claimsOf(row) ? cell : "–";
}

function statusCell(row) {
  return make("span", { className: `status ${row.status}` }, STATUSES[row.status]);
}

// filterRows returns the rows that match all fields of the search form.
function filterRows(rows, query) {
  const words = searchWords(query.get("search"));
  const inRange = rangeFilter(query);
  const hasVerdicts = {
    contradicted: (row) => row.contradicted > 0,
    not_mentioned: (row) => row.notMentioned > 0,
    unsupported: (row) => unsupportedOf(row) > 0,
    supported: (row) => row.supported > 0 && unsupportedOf(row) === 0,
  }[query.get("verdict")] ?? (() => true);
  const status = query.get("status");
  const inColumns = columnFilters(query);
  return rows.filter((row) => (status === null || row.status === status || row.reason === status) && inRange(row.faithfulness) && hasVerdicts(row) &&
    inColumns.every((matches) => matches(row)) && words.every((word) => row.text.includes(word)));
}

// sortRows sorts rows by a column. Equal rows are in the order of their support and then in
// that of the dataset. Rows without a value come last in both directions, failed ones first.
function sortRows(rows, { key, descending }) {
  const { sortKey } = COLUMNS.find((column) => column.key === key);
  const collator = new Intl.Collator(undefined, { numeric: true });
  const direction = descending ? -1 : 1;
  const values = new Map(rows.map((row) => [row, sortKey(row)]));
  const tie = key === "faithfulness" ? (a, b) => a.support - b.support || a.index - b.index : (a, b) => a.index - b.index;
  return rows.toSorted((a, b) => {
    const x = values.get(a);
    const y = values.get(b);
    if (x === null || y === null) {
      return (x === null) - (y === null) || (b.status === "failed") - (a.status === "failed") || a.index - b.index;
    }
    const difference = typeof x === "string" ? collator.compare(x, y) : x - y;
    return difference * direction || tie(a, b);
  });
}
