// Search, filters, sorting and keys for the changed rows, which are in the page itself.

const list = byId("changes");
const rows = [...(list?.children ?? [])].map((element) => ({
  element,
  position: Number(element.dataset.position),
  direction: element.dataset.direction,
  id: element.querySelector(".at-id").textContent,
  text: "", // set by the first search
}));

function matches(row, words, direction) {
  if (direction !== "" && row.direction !== direction) {
    return false;
  }
  if (words.length > 0 && row.text === "") {
    row.text = row.element.textContent.toLowerCase();
  }
  return words.every((word) => row.text.includes(word));
}

// update shows the matching rows in the selected order.
function update() {
  const words = searchWords();
  const direction = byId("direction").value;
  let shown = 0;
  for (const row of rows) {
    const matching = matches(row, words, direction);
    row.element.hidden = !matching;
    shown += matching ? 1 : 0;
  }
  const collator = new Intl.Collator(undefined, { numeric: true });
  const compare = {
    worst: (a, b) => a.position - b.position,
    best: (a, b) => b.position - a.position,
    id: (a, b) => collator.compare(a.id, b.id) || a.position - b.position,
  }[byId("order").value];
  list.append(...rows.toSorted(compare).map(({ element }) => element));
  const all = words.length === 0 && direction === "";
  byId("clear").disabled = all;
  byId("row-count").textContent = all
    ? `${rows.length} ${rows.length === 1 ? "row" : "rows"}`
    : shown === 0 ? "No matching rows. “Show all” clears the filters." : `${shown} of ${rows.length} rows`;
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

useTheme();
if (list) {
  useTools(update);
  useKeys();
  update();
}
document.documentElement.dataset.ready = "yes"; // for tests
