// Search, filters, sorting and keys for the changed rows, which are in the page itself.

const list = byId("changes");
const rows = [...(list?.children ?? [])].map((element) => ({
  element,
  position: Number(element.dataset.position),
  direction: element.dataset.direction,
  bin: Number(element.dataset.bin),
  id: element.querySelector(".at-id").textContent,
  text: "", // set by the first search
}));
let opened; // row that was opened last, unless it is closed again
let markRange; // of the histogram

function matches(row, query) {
  const words = searchWords(query.get("search"));
  if (words.length > 0 && row.text === "") {
    row.text = row.element.textContent.toLowerCase();
  }
  return (!query.has("direction") || row.direction === query.get("direction")) && rangeFilter(query)(row.bin) &&
    words.every((word) => row.text.includes(word));
}

// update shows the matching rows in the selected order.
function update() {
  const query = filters();
  let shown = 0;
  for (const row of rows) {
    const matching = matches(row, query);
    row.element.hidden = !matching;
    shown += matching ? 1 : 0;
  }
  const collator = new Intl.Collator(undefined, { numeric: true });
  const compare = {
    best: (a, b) => b.position - a.position,
    id: (a, b) => collator.compare(a.id, b.id) || a.position - b.position,
  }[query.get("order")] ?? ((a, b) => a.position - b.position);
  list.append(...rows.toSorted(compare).map(({ element }) => element));
  markRange();
  showCount(shown, rows.length, "");
  saveAddress();
}

// linkTo returns the parameter that identifies a row: its id, unless an earlier row has the
// same.
function linkTo(row) {
  return rows.find(({ id }) => id === row.id) === row ? { row: row.id } : { position: row.position };
}

// saveAddress writes the filters and the open row to the page address.
function saveAddress() {
  const parameters = filters();
  for (const [name, value] of Object.entries(opened ? linkTo(opened) : {})) {
    parameters.set(name, value);
  }
  setAddress(parameters);
}

// readAddress sets the filters and opens the row in the page address. If the filters hide
// the row, they are reset.
function readAddress(parameters) {
  const row = rows.find(({ id, position }) => (parameters.has("row") ? id === parameters.get("row") : String(position) === parameters.get("position")));
  setFilters(parameters);
  if (row && !matches(row, filters())) {
    setFilters(new URLSearchParams());
  }
  update();
  if (row) {
    row.element.open = true;
    row.element.scrollIntoView();
    row.element.querySelector("summary").focus();
  }
}

// useRows keeps the open row in the page address.
function useRows() {
  list.addEventListener("toggle", (event) => {
    const row = rows.find(({ element }) => element === event.target);
    if (row.element.open) {
      opened = row;
    } else if (opened === row) {
      opened = undefined;
    }
    saveAddress();
  }, { capture: true });
}

// useKeys moves between the visible rows with the arrow keys, Home and End, and closes an
// open row with Escape.
function useKeys() {
  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) {
      return;
    }
    if (event.key === "Escape") {
      const open = event.target.closest(".change[open]");
      if (open) {
        open.open = false;
        open.querySelector("summary").focus();
      }
      return;
    }
    const summaries = [...list.querySelectorAll(".change:not([hidden]) > summary")];
    const current = summaries.indexOf(event.target.closest("summary"));
    let target;
    if (current >= 0) {
      target = { ArrowDown: current + 1, ArrowUp: current - 1, Home: 0, End: summaries.length - 1 }[event.key];
    } else if (event.target === byId("search") && event.key === "ArrowDown") {
      target = 0;
    }
    if (summaries[target]) {
      event.preventDefault();
      summaries[target].focus();
    }
  });
}

if (list) {
  markRange = useHistogram(update);
  useTools(update);
  useRows();
  useKeys();
  readAddress(address(location.href));
  addEventListener("hashchange", (event) => readAddress(address(event.newURL)));
}
document.documentElement.dataset.ready = "yes"; // for tests
