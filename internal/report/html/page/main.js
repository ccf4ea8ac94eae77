// Connects the search form, the histogram, the table and the dialog with an open row.

const results = new Results();
const rows = [];
let view = []; // matching rows in table order
let columns; // fields of kept columns; undefined until all rows are read
let markRange; // of the histogram

const detail = new Detail(byId("detail"), {
  result: (row) => results.get(row),
  at: (position) => view[position],
  count: () => view.length,
  opened: () => saveAddress(),
  closed: (position) => {
    saveAddress();
    grid.focus(position);
  },
});
const grid = new Grid(byId("grid"), update, (position) => detail.open(position));

// update filters and sorts the rows and shows how many there are.
function update() {
  view = sortRows(filterRows(rows, filters()), grid.sort);
  grid.show(view);
  markRange();
  const { key, descending } = grid.sort;
  const column = key === "index" ? "position in the dataset" : COLUMNS.find((c) => c.key === key).head.toLowerCase();
  showCount(view.length, rows.length, `, sorted by ${column}${descending ? ", descending" : ""}`);
  if (columns) {
    saveAddress();
  }
}

// linkTo returns the parameter that identifies a row: its id, unless an earlier row has the
// same.
function linkTo(row) {
  return rows.find(({ id }) => id === row.id) === row ? { row: row.id } : { index: row.index };
}

// saveAddress writes the filters, the sort order and the open row to the page address.
function saveAddress() {
  const parameters = filters();
  const { key, descending } = grid.sort;
  if (key !== "faithfulness" || descending) {
    parameters.set("sort", (descending ? "-" : "") + key);
  }
  const open = view[detail.position];
  for (const [name, value] of Object.entries(open ? linkTo(open) : {})) {
    parameters.set(name, value);
  }
  setAddress(parameters);
}

// readAddress sets the filters and the sort order and opens the row in the page address. If
// the filters hide the row, they are reset.
function readAddress(parameters) {
  detail.close();
  const row = rows.find(({ id, index }) => (parameters.has("row") ? id === parameters.get("row") : String(index) === parameters.get("index")));
  const missing = !row && (parameters.has("row") || parameters.has("index"));
  columns.addFields(parameters);
  setFilters(parameters);
  grid.sort = parameters.get("sort") ?? "";
  if (row && !filterRows([row], filters()).length) {
    setFilters(new URLSearchParams());
  }
  update();
  if (row) {
    const position = view.indexOf(row);
    grid.focus(position);
    detail.open(position);
  }
  if (missing) {
    byId("row-count").textContent = "The row in the address of the page is not in this table.";
  }
}

async function start() {
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
        markRange = useHistogram(update);
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
  columns = new Columns(rows, byId("columns"));
  const linked = address(location.href);
  if (linked.size > 0) {
    readAddress(linked);
  } else {
    update(); // with what was typed in the meantime
  }
  addEventListener("hashchange", (event) => {
    readAddress(address(event.newURL));
    if (detail.position < 0) {
      byId("rows-title").scrollIntoView();
    }
  });
  performance.mark("all rows");
  document.documentElement.dataset.ready = "yes"; // for tests
}

start();
