// Grid is a table of any number of rows, of which only the visible ones are elements. The
// arrow keys, Page Up, Page Down, Home and End move between rows; only the current row is
// in the tab order.
class Grid {
  #element;
  #body;
  #rows = [];
  #elements = new Map(); // by position of the row
  #current = 0; // position of the row with the focus
  #rowHeight = 0; // in pixels
  #sort = { key: "faithfulness", descending: false };
  #onSort;
  #onOpen;
  #printing = false;

  // onSort is called when the sort order changes, onOpen with the position of the row to
  // open.
  constructor(element, onSort, onOpen) {
    this.#element = element;
    this.#onSort = onSort;
    this.#onOpen = onOpen;
    this.#body = make("div", { role: "rowgroup", className: "body" });
    element.append(this.#head(), this.#body);
    element.setAttribute("aria-colcount", COLUMNS.length);
    this.#body.addEventListener("click", (event) => this.#click(event));
    this.#body.addEventListener("keydown", (event) => this.#key(event));
    addEventListener("scroll", () => this.#draw(), { passive: true });
    addEventListener("resize", () => this.#measure());
    addEventListener("beforeprint", () => this.#print(true));
    addEventListener("afterprint", () => this.#print(false));
  }

  get sort() {
    return this.#sort;
  }

  // sort is set to the key of a column, after "-" for the descending order. An unknown key
  // means the score.
  set sort(text) {
    const key = text.replace("-", "");
    this.#sort = COLUMNS.some((column) => column.key === key)
      ? { key, descending: text.startsWith("-") }
      : { key: "faithfulness", descending: false };
    this.#markSort();
  }

  // show replaces the rows and makes the first one current.
  show(rows) {
    this.#rows = rows;
    this.#current = 0;
    this.#element.setAttribute("aria-rowcount", rows.length + 1);
    this.#clear();
    this.#measure();
  }

  // focus focuses a row and scrolls it into view.
  focus(position) {
    if (this.#rows.length === 0) {
      return;
    }
    this.#current = Math.max(0, Math.min(this.#rows.length - 1, position));
    const head = this.#element.firstChild.offsetHeight;
    const top = this.#body.getBoundingClientRect().top + this.#current * this.#rowHeight;
    if (top < head) {
      scrollBy(0, Math.floor(top - head));
    } else if (top + this.#rowHeight > innerHeight) {
      scrollBy(0, Math.ceil(top + this.#rowHeight - innerHeight));
    }
    this.#draw();
    this.#elements.get(this.#current).focus({ preventScroll: true });
  }

  #head() {
    const row = make("div", { role: "row", className: "head", "aria-rowindex": 1 });
    COLUMNS.forEach(({ key, head }, i) => {
      const button = make("button", { type: "button" }, head, make("span", { className: "arrow", "aria-hidden": "true" }));
      button.addEventListener("click", () => {
        this.sort = this.#sort.key === key && !this.#sort.descending ? `-${key}` : key;
        this.#onSort();
      });
      row.append(make("div", { role: "columnheader", className: `at-${key}`, "aria-colindex": i + 1 }, button));
    });
    this.#markSort(row);
    return make("div", { role: "rowgroup", className: "heads" }, row);
  }

  #markSort(row = this.#element.querySelector(".head")) {
    COLUMNS.forEach(({ key }, i) => {
      const sorted = key === this.#sort.key;
      const direction = this.#sort.descending ? "descending" : "ascending";
      row.children[i].setAttribute("aria-sort", sorted ? direction : "none");
      row.children[i].querySelector(".arrow").textContent = sorted ? (this.#sort.descending ? " ▼" : " ▲") : "";
    });
  }

  #clear() {
    this.#body.replaceChildren();
    this.#elements.clear();
  }

  // measure updates the height of a row, which depends on the width of the page and the
  // font size.
  #measure() {
    if (this.#printing) {
      return;
    }
    const probe = make("div", { className: "row" });
    this.#body.append(probe);
    this.#rowHeight = probe.getBoundingClientRect().height;
    probe.remove();
    this.#body.style.height = `${this.#rowHeight * this.#rows.length}px`;
    for (const [position, row] of this.#elements) {
      row.style.top = `${position * this.#rowHeight}px`;
    }
    this.#draw();
  }

  // draw creates the elements of the visible rows and some around them, and removes all
  // others except the current one.
  #draw() {
    if (this.#printing || this.#rowHeight === 0) {
      return;
    }
    const overscan = 6; // rows
    const top = this.#body.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(-top / this.#rowHeight) - overscan);
    const end = Math.min(this.#rows.length, Math.ceil((innerHeight - top) / this.#rowHeight) + overscan);
    for (const [position, row] of this.#elements) {
      if ((position < first || position >= end) && position !== this.#current) {
        row.remove();
        this.#elements.delete(position);
      }
    }
    for (let position = first; position < end; position++) {
      this.#rowElement(position);
    }
    if (this.#current < this.#rows.length) {
      this.#rowElement(this.#current);
    }
    for (const [position, row] of this.#elements) {
      row.tabIndex = position === this.#current ? 0 : -1;
    }
  }

  // rowElement returns the element of a row. Elements are kept in the order of the rows, for
  // screen readers.
  #rowElement(position) {
    let element = this.#elements.get(position);
    if (element) {
      return element;
    }
    const row = this.#rows[position];
    const className = row.question === "" ? "row no-question" : "row";
    element = make("div", { role: "row", className, tabIndex: -1, "aria-rowindex": position + 2 });
    element.dataset.position = position;
    element.style.top = `${position * this.#rowHeight}px`;
    COLUMNS.forEach(({ key, cell }, i) => {
      const content = cell(row);
      const gridcell = make("div", { role: "gridcell", className: `at-${key}`, "aria-colindex": i + 1 });
      if (typeof content === "string") {
        gridcell.append(write(make("bdi"), content.slice(0, MAX_CELL)));
      } else {
        gridcell.append(content);
      }
      element.append(gridcell);
    });
    let next = null;
    for (const other of this.#body.children) {
      if (Number(other.dataset.position) > position) {
        next = other;
        break;
      }
    }
    this.#body.insertBefore(element, next);
    this.#elements.set(position, element);
    return element;
  }

  #click(event) {
    const row = event.target.closest(".row");
    if (row) {
      this.#current = Number(row.dataset.position);
      this.#draw();
      this.#onOpen(this.#current);
    }
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    const page = Math.max(1, Math.floor((innerHeight - this.#element.firstChild.offsetHeight) / this.#rowHeight) - 1);
    const target = {
      ArrowDown: this.#current + 1, ArrowUp: this.#current - 1, PageDown: this.#current + page, PageUp: this.#current - page,
      Home: 0, End: this.#rows.length - 1,
    }[event.key];
    if (target !== undefined) {
      event.preventDefault();
      this.focus(target);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#onOpen(this.#current);
    }
  }

  // print shows the first rows as a plain table while the page is printed.
  #print(printing) {
    const maxRows = 1000;
    this.#printing = printing;
    this.#clear();
    if (printing) {
      this.#body.style.height = "auto";
      const n = Math.min(maxRows, this.#rows.length);
      for (let position = 0; position < n; position++) {
        this.#rowElement(position);
      }
      if (this.#rows.length > n) {
        this.#body.append(make("p", { className: "more" }, `and ${formatCount(this.#rows.length - n)} more rows, not printed`));
      }
      return;
    }
    this.#measure();
  }
}
