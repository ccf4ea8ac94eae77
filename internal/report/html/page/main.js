// The page: its tools, the table, and the row that is open.

const by = (id) => document.getElementById(id);
const results = new Results();
const rows = [];
let view = []; // the rows that match, in the order of the table

const detail = new Detail(by("detail"), {
  result: (row) => results.of(row),
  at: (place) => view[place],
  count: () => view.length,
  closed: (place) => grid.focus(place),
});
const grid = new Grid(by("grid"), update, (place) => detail.open(place));

// asked is what the tools ask for.
function asked() {
  return { search: by("search").value.trim(), status: by("status").value, verdict: by("verdict").value };
}

// update selects and orders the rows anew, and says how many there are.
function update() {
  const question = asked();
  const all = Object.values(question).every((value) => value === "");
  view = order(select(rows, question), grid.sort.key, grid.sort.descending);
  grid.show(view);
  by("clear").disabled = all;
  const column = COLUMNS.find(({ key }) => key === grid.sort.key);
  const shown = all ? `${count(rows.length)} rows` : `${count(view.length)} of ${count(rows.length)} rows`;
  by("said").textContent = view.length === 0 && !all
    ? "No row matches. “Show all” lifts the filters."
    : `${shown}, by ${column.key === "index" ? "place in the dataset" : column.head.toLowerCase()}${grid.sort.descending ? ", falling" : ""}`;
}

function useTools() {
  let waiting = 0;
  by("search").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(update, 120);
  });
  by("search").addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") {
      event.preventDefault();
      grid.focus(0);
    }
  });
  by("tools").addEventListener("submit", (event) => event.preventDefault());
  by("tools").addEventListener("reset", () => setTimeout(update));
  by("status").addEventListener("change", update);
  by("verdict").addEventListener("change", update);
  by("clear").addEventListener("click", () => {
    by("tools").reset();
    by("search").focus();
  });
  addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.target.closest("input, select, dialog")) {
      event.preventDefault();
      by("search").focus();
    }
  });
}

// openLinked opens the row that the address names: #row-12 is the row with the
// index 12.
function openLinked() {
  const index = Number(/^#row-(\d+)$/.exec(location.hash)?.[1] ?? NaN);
  const place = view.findIndex((row) => row.index === index);
  if (place >= 0 && detail.place !== place) {
    detail.open(place);
  }
}

async function start() {
  useTheme();
  if (typeof DecompressionStream === "undefined") {
    by("said").textContent = "This browser is too old to unpack the rows.";
    return;
  }
  try {
    for await (const some of readIndex()) {
      const first = rows.length === 0;
      rows.push(...some);
      if (first) {
        for (const id of ["tools", "grid", "keys"]) {
          by(id).hidden = false;
        }
        useTools();
        update();
        performance.mark("first rows");
      }
    }
  } catch {
    by("said").textContent = "The rows of this file are damaged and can’t be shown.";
    return;
  }
  if (rows.length === 0) {
    by("said").textContent = "There are no rows.";
    return;
  }
  update();
  openLinked();
  addEventListener("hashchange", openLinked);
  performance.mark("all rows");
  document.documentElement.dataset.ready = "yes"; // for whoever waits for all rows
}

start();
