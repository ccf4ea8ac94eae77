// The rows are there without this script, which searches, filters and orders them.

const by = (id) => document.getElementById(id);
const list = by("changes");
const rows = [...(list?.children ?? [])].map((element) => ({
  element,
  place: Number(element.dataset.place),
  way: element.dataset.way,
  id: element.querySelector(".at-id").textContent,
  text: "", // is made by the first search
}));

// asked is what the tools ask for.
function asked() {
  return { words: by("search").value.toLowerCase().split(/\s+/).filter(Boolean), way: by("way").value, order: by("order").value };
}

function matches(row, { words, way }) {
  if (way !== "" && row.way !== way) {
    return false;
  }
  if (words.length > 0 && row.text === "") {
    row.text = row.element.textContent.toLowerCase();
  }
  return words.every((word) => row.text.includes(word));
}

// update shows the rows that match, in the order that is asked for.
function update() {
  const question = asked();
  let shown = 0;
  for (const row of rows) {
    const on = matches(row, question);
    row.element.hidden = !on;
    shown += on ? 1 : 0;
  }
  const texts = new Intl.Collator(undefined, { numeric: true });
  const orders = {
    worst: (a, b) => a.place - b.place,
    best: (a, b) => b.place - a.place,
    id: (a, b) => texts.compare(a.id, b.id) || a.place - b.place,
  };
  list.append(...rows.toSorted(orders[question.order]).map(({ element }) => element));
  const all = question.words.length === 0 && question.way === "";
  by("clear").disabled = all;
  by("said").textContent = all
    ? `${rows.length} ${rows.length === 1 ? "row" : "rows"}`
    : shown === 0 ? "No row matches. “Show all” lifts the filters." : `${shown} of ${rows.length} rows`;
}

// heads are those of the rows that are seen, in their order.
function heads() {
  return [...list.querySelectorAll(".change:not([hidden]) > summary")];
}

function useKeys() {
  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) {
      return;
    }
    if (event.key === "/" && !event.target.closest("input, select")) {
      event.preventDefault();
      by("search").focus();
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
    const all = heads();
    const at = all.indexOf(event.target.closest("summary"));
    const to = event.target === by("search") && event.key === "ArrowDown" ? 0 : at < 0 ? undefined
      : { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (all[to]) {
      event.preventDefault();
      all[to].focus();
    }
  });
}

function useTools() {
  let waiting = 0;
  by("search").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(update, 120);
  });
  by("tools").addEventListener("submit", (event) => event.preventDefault());
  by("way").addEventListener("change", update);
  by("order").addEventListener("change", update);
  by("clear").addEventListener("click", () => {
    by("tools").reset();
    update();
    by("search").focus();
  });
  by("tools").hidden = false;
  by("keys").hidden = false;
}

useTheme();
if (list) {
  useTools();
  useKeys();
  update();
}
document.documentElement.dataset.ready = "yes"; // for whoever waits
