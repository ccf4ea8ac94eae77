// Connects the search form, the table and the dialog with an open row.

const results = new Results();
const rows = [];
let view = []; // matching rows in table order

const detail = new Detail(byId("detail"), {
  result: (row) => results.get(row),
  at: (position) => view[position],
  count: () => view.length,
  closed: (position) => grid.focus(position),
});
const grid = new Grid(byId("grid"), update, (position) => detail.open(position));

// update filters and sorts the rows and shows how many there are.
function update() {
  const query = { words: searchWords(), status: byId("status").value, verdict: byId("verdict").value };
  const all = query.words.length === 0 && query.status === "" && query.verdict === "";
  const { key, descending } = grid.sort;
  view = sortRows(filterRows(rows, query), key, descending);
  grid.show(view);
  byId("clear").disabled = all;
  const total = all ? `${formatCount(rows.length)} rows` : `${formatCount(view.length)} of ${formatCount(rows.length)} rows`;
  const column = key === "index" ? "position in the dataset" : COLUMNS.find((c) => c.key === key).head.toLowerCase();
  byId("row-count").textContent = view.length === 0 && !all
    ? "No matching rows. “Show all” clears the filters."
    : `${total}, sorted by ${column}${descending ? ", descending" : ""}`;
}

// openLinked opens the row in the address of the page: #row-12 is the row with index 12.
function openLinked() {
  const index = Number(/^#row-(\d+)$/.exec(location.hash)?.[1] ?? NaN);
  const position = view.findIndex((row) => row.index === index);
  if (position >= 0 && detail.position !== position) {
    detail.open(position);
  }
}

async function start() {
  useTheme();
  if (typeof DecompressionStream === "undefined") {
    byId("row-count").textContent = "This browser is too old to decompress the rows.";
    return;
  }
  try {
    for await (const batch of readIndex()) {
      const first = rows.length === 0;
      rows.push(...batch);
      if (first) {
        byId("grid").hidden = false;
        useTools(update);
        update();
        byId("search").addEventListener("keydown", (event) => {
          if (event.key === "ArrowDown") {
            event.preventDefault();
            grid.focus(0);
          }
        });
        performance.mark("first rows");
      }
    }
  } catch {
    byId("row-count").textContent = "The rows of this file are damaged and can’t be shown.";
    return;
  }
  if (rows.length === 0) {
    byId("row-count").textContent = "No rows.";
    return;
  }
  update();
  openLinked();
  addEventListener("hashchange", openLinked);
  performance.mark("all rows");
  document.documentElement.dataset.ready = "yes"; // for tests
}

start();
