// Shared by all pages with a script: the page address, the search form and the histogram.

const byId = (id) => document.getElementById(id);

// address returns the parameters in the fragment of a URL: the filters and the open row.
const address = (url) => new URLSearchParams(new URL(url).hash.slice(1));

function setAddress(parameters) {
  const text = String(parameters);
  try {
    history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
  } catch {
    // sandboxed pages have no history
  }
}

// filters returns the fields of the search form that are not empty.
const filters = () => new URLSearchParams([...new FormData(byId("tools"))].filter(([, value]) => value !== ""));

// setFilters sets the fields of the search form and resets all others.
function setFilters(parameters) {
  const { elements } = byId("tools");
  byId("tools").reset();
  for (const [name, value] of parameters) {
    const field = elements.namedItem(name);
    if (field) {
      field.value = value;
      if (field.selectedIndex < 0) {
        field.value = ""; // the page has no such option
      }
    }
  }
}

// useTools shows the search form, and calls update when a field or the reset button changes
// the filters. "/" focuses the search.
function useTools(update) {
  const tools = byId("tools");
  const search = byId("search");
  let timer = 0;
  tools.addEventListener("input", (event) => {
    clearTimeout(timer);
    if (event.target.matches("select")) {
      update();
    } else {
      timer = setTimeout(update, 120);
    }
  });
  tools.addEventListener("submit", (event) => event.preventDefault());
  byId("clear").addEventListener("click", () => {
    tools.reset();
    update();
    search.focus();
  });
  addEventListener("keydown", (event) => {
    const modified = event.altKey || event.ctrlKey || event.metaKey;
    if (event.key === "/" && !modified && !event.target.closest("input, select, dialog")) {
      event.preventDefault();
      search.focus();
    }
  });
  tools.hidden = false;
  byId("keys").hidden = false;
}

// searchWords returns the words of a search, in lower case.
const searchWords = (text) => (text ?? "").toLowerCase().split(/\s+/).filter(Boolean);

// showCount shows how many rows match the filters.
function showCount(shown, total, suffix) {
  const format = (n) => n.toLocaleString("en-US");
  byId("clear").disabled = filters().size === 0;
  byId("row-count").textContent = shown === 0 && total > 0
    ? "No matching rows. “Reset filters” shows all."
    : `${shown < total ? `${format(shown)} of ` : ""}${format(total)} ${total === 1 ? "row" : "rows"}${suffix}`;
}

// rangeFilter returns a function that reports whether a number is in the range of the fields
// min and max, which excludes max. An empty field is no limit; null is in no limited range.
function rangeFilter(query) {
  const [min, max] = [query.get("min"), query.get("max")];
  return (x) => (min === null || (x !== null && x >= Number(min))) && (max === null || (x !== null && x < Number(max)));
}

// useHistogram makes the bins of the histogram buttons that set the fields min and max: a
// click selects a bin or, if only that one is selected, all. Dragging or Shift and an arrow
// key extends the range. It returns a function that highlights the bins of the range.
function useHistogram(update) {
  const svg = document.querySelector(".histogram");
  const bins = [...svg.querySelectorAll(".bin")];
  const [min, max] = [byId("min"), byId("max")];
  let anchor = 0; // first bin of the range
  let dragging = -1; // last bin of a range that is being dragged
  const select = (bin) => {
    min.value = bins[Math.min(anchor, bin)].dataset.from;
    max.value = bins[Math.max(anchor, bin)].dataset.to;
    update();
  };
  const toggle = (bin) => {
    anchor = bin;
    if (min.value === bins[bin].dataset.from && max.value === bins[bin].dataset.to) {
      min.value = max.value = "";
      update();
    } else {
      select(bin);
    }
  };
  const at = (event) => {
    const bin = bins.findIndex((b) => event.clientX < b.getBoundingClientRect().right);
    return bin < 0 ? bins.length - 1 : bin;
  };
  svg.addEventListener("pointerdown", (event) => {
    if (event.button === 0) {
      dragging = anchor = at(event);
      svg.setPointerCapture(event.pointerId);
    }
  });
  svg.addEventListener("pointermove", (event) => {
    if (dragging >= 0 && at(event) !== dragging) {
      dragging = at(event);
      select(dragging);
    }
  });
  svg.addEventListener("pointerup", () => {
    if (dragging === anchor) {
      toggle(anchor);
    }
    dragging = -1;
  });
  svg.addEventListener("pointercancel", () => {
    dragging = -1;
  });
  svg.addEventListener("keydown", (event) => {
    const bin = bins.indexOf(event.target);
    const next = { ArrowRight: bin + 1, ArrowLeft: bin - 1, Home: 0, End: bins.length - 1 }[event.key];
    if (bins[next]) {
      event.preventDefault();
      bins[next].focus();
      if (event.shiftKey) {
        select(next);
      } else {
        anchor = next;
      }
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      toggle(bin);
    }
  });
  svg.addEventListener("focusin", (event) => {
    bins.forEach((bin) => bin.setAttribute("tabindex", bin === event.target ? 0 : -1));
  });
  svg.setAttribute("role", "group");
  bins.forEach((bin, i) => {
    bin.role = "button";
    bin.ariaLabel = bin.textContent;
    bin.setAttribute("tabindex", i === 0 ? 0 : -1);
  });
  return () => {
    const limit = (text, otherwise) => (text === "" ? otherwise : Number(text));
    bins.forEach((bin) => {
      const pressed = (min.value !== "" || max.value !== "") &&
        Number(bin.dataset.from) < limit(max.value, Infinity) && limit(bin.dataset.to, Infinity) > limit(min.value, -Infinity);
      bin.ariaPressed = String(pressed);
    });
    svg.classList.toggle("filtered", min.value !== "" || max.value !== "");
  };
}
