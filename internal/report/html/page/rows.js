// What is shown of the rows, and in which order.

// A verdict has a word and a sign, so that its colour is never all that tells it.
const VERDICTS = {
  supported: { word: "supported", sign: "✓" },
  contradicted: { word: "contradicted", sign: "✗" },
  not_mentioned: { word: "not mentioned", sign: "?" },
};
const UNJUDGED = { word: "not judged", sign: "–" };

// What evidence is, by its role; that of a supported claim has none.
const ROLES = {
  contradicts: { mark: "Contradicts claim", quote: "Contradicts it, chunk", legend: "✗ contradicts a claim" },
  nearest: { mark: "Nearest passage to claim", quote: "Nearest passage, chunk", legend: "? nearest to a claim, and does not state it" },
};

const STATUSES = { scored: "scored", no_claims: "no claims", failed: "failed" };

const claimsOf = (row) => row.supported + row.contradicted + row.notMentioned;
const unsupportedOf = (row) => row.contradicted + row.notMentioned;
const score = (x) => (x === null ? "–" : x.toFixed(2));
const count = (n) => n.toLocaleString("en-US");

// COLUMNS are those of the table: what heads them, by what they sort, and what
// they show.
const COLUMNS = [
  { key: "index", head: "#", by: (row) => row.index, cell: (row) => String(row.index) },
  { key: "id", head: "Id", by: (row) => row.id, cell: (row) => row.id },
  { key: "question", head: "Question", by: (row) => row.question, cell: (row) => row.question },
  { key: "answer", head: "Answer", by: (row) => row.answer, cell: (row) => row.answer },
  { key: "claims", head: "Claims", by: (row) => (claimsOf(row) ? unsupportedOf(row) : null), cell: claimsCell },
  { key: "faithfulness", head: "Score", by: (row) => row.faithfulness, cell: (row) => score(row.faithfulness) },
  { key: "support", head: "Support", by: (row) => row.support, cell: (row) => score(row.support) },
  { key: "status", head: "Status", by: (row) => STATUSES[row.status], cell: statusCell },
];

// claimsCell counts the verdicts of a row, each with its sign.
function claimsCell(row) {
  const cell = document.createDocumentFragment();
  const counts = { supported: row.supported, contradicted: row.contradicted, not_mentioned: row.notMentioned };
  for (const [verdict, n] of Object.entries(counts)) {
    if (n > 0) {
      cell.append(make("span", { className: `tally ${verdict}`, title: `${n} ${VERDICTS[verdict].word}` },
        make("span", { "aria-hidden": "true" }, `${n} ${VERDICTS[verdict].sign}`),
        make("span", { className: "unseen" }, `${n} ${VERDICTS[verdict].word} `)));
    }
  }
  return claimsOf(row) ? cell : "–";
}

function statusCell(row) {
  return make("span", { className: `status ${row.status}` }, STATUSES[row.status]);
}

// select returns the rows that match what was asked for: every word of the
// search, the status and the verdicts.
function select(rows, { search, status, verdict }) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = {
    "": () => true,
    contradicted: (row) => row.contradicted > 0,
    not_mentioned: (row) => row.notMentioned > 0,
    unsupported: (row) => unsupportedOf(row) > 0,
    supported: (row) => row.supported > 0 && unsupportedOf(row) === 0,
  }[verdict];
  return rows.filter((row) => (status === "" || row.status === status) && fits(row) &&
    words.every((word) => row.text.includes(word)));
}

// order sorts rows by a column. Rows without a value come last either way, and
// equal ones stay in the order of the dataset.
function order(rows, key, descending) {
  const by = COLUMNS.find((column) => column.key === key).by;
  const texts = new Intl.Collator(undefined, { numeric: true });
  const direction = descending ? -1 : 1;
  const values = new Map(rows.map((row) => [row, by(row)]));
  return rows.toSorted((a, b) => {
    const x = values.get(a);
    const y = values.get(b);
    if (x === null || y === null) {
      return (x === null) - (y === null) || a.index - b.index;
    }
    const difference = typeof x === "string" ? texts.compare(x, y) : x - y;
    return difference * direction || a.index - b.index;
  });
}
