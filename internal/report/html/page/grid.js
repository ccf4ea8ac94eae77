// A Grid is a table of any number of rows, of which only those are elements
// that can be seen. Up and down, by page, Home and End go through the rows; one
// of them takes part in the order of the Tab key.
class Grid {
  #element;
  #body;
  #rows = [];
  #shown = new Map(); // elements by place
  #active = 0; // place of the row that has the focus, or would get it
  #height = 0; // of a row, in pixels
  #sort = { key: "index", descending: false };
  #onSort;
  #onOpen;
  #printing = false;

  // onSort is called when another order is asked for, and onOpen with the place
  // of a row that is opened.
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

  // show lists rows; the first of them gets the focus next.
  show(rows) {
    this.#rows = rows;
    this.#active = 0;
    this.#element.setAttribute("aria-rowcount", rows.length + 1);
    this.#clear();
    this.#measure();
  }

  // focus gives the focus to a row and brings it into view.
  focus(place) {
    if (this.#rows.length === 0) {
      return;
    }
    this.#active = Math.max(0, Math.min(this.#rows.length - 1, place));
    const head = this.#element.firstChild.offsetHeight;
    const top = this.#body.getBoundingClientRect().top + this.#active * this.#height;
    if (top < head) {
      scrollBy(0, Math.floor(top - head));
    } else if (top + this.#height > innerHeight) {
      scrollBy(0, Math.ceil(top + this.#height - innerHeight));
    }
    this.#draw();
    this.#shown.get(this.#active).focus({ preventScroll: true });
  }

  #head() {
    const row = make("div", { role: "row", className: "head", "aria-rowindex": 1 });
    COLUMNS.forEach(({ key, head }, i) => {
      const button = make("button", { type: "button" }, head, make("span", { className: "arrow", "aria-hidden": "true" }));
      button.addEventListener("click", () => {
        const again = this.#sort.key === key;
        this.#sort = { key, descending: again && !this.#sort.descending };
        this.#markSort();
        this.#onSort();
      });
      row.append(make("div", { role: "columnheader", className: `at-${key}`, "aria-colindex": i + 1 }, button));
    });
    this.#markSort(row);
    return make("div", { role: "rowgroup", className: "heads" }, row);
  }

  #markSort(row = this.#element.querySelector(".head")) {
    COLUMNS.forEach(({ key }, i) => {
      const on = key === this.#sort.key;
      const direction = this.#sort.descending ? "descending" : "ascending";
      row.children[i].setAttribute("aria-sort", on ? direction : "none");
      row.children[i].querySelector(".arrow").textContent = on ? (this.#sort.descending ? " ▼" : " ▲") : "";
    });
  }

  #clear() {
    this.#body.replaceChildren();
    this.#shown.clear();
  }

  // measure takes the height of a row, which changes with the width of the page
  // and the size of its font.
  #measure() {
    if (this.#printing) {
      return;
    }
    const probe = make("div", { className: "row" });
    this.#body.append(probe);
    this.#height = probe.getBoundingClientRect().height;
    probe.remove();
    this.#body.style.height = `${this.#height * this.#rows.length}px`;
    for (const [place, row] of this.#shown) {
      row.style.top = `${place * this.#height}px`;
    }
    this.#draw();
  }

  // draw makes elements of the rows in view and some around them, and removes
  // the others, but for the one that has the focus.
  #draw() {
    if (this.#printing || this.#height === 0) {
      return;
    }
    const spare = 6;
    const top = this.#body.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(-top / this.#height) - spare);
    const end = Math.min(this.#rows.length, Math.ceil((innerHeight - top) / this.#height) + spare);
    for (const [place, row] of this.#shown) {
      if ((place < first || place >= end) && place !== this.#active) {
        row.remove();
        this.#shown.delete(place);
      }
    }
    for (let place = first; place < end; place++) {
      this.#at(place);
    }
    if (this.#active < this.#rows.length) {
      this.#at(this.#active);
    }
    for (const [place, row] of this.#shown) {
      row.tabIndex = place === this.#active ? 0 : -1;
    }
  }

  // at returns the element of a row, and puts it where readers of the page's
  // order find it.
  #at(place) {
    let element = this.#shown.get(place);
    if (element) {
      return element;
    }
    const row = this.#rows[place];
    const className = row.question === "" ? "row no-question" : "row";
    element = make("div", { role: "row", className, tabIndex: -1, "aria-rowindex": place + 2 });
    element.dataset.place = place;
    element.style.top = `${place * this.#height}px`;
    COLUMNS.forEach(({ key, cell }, i) => {
      const content = cell(row);
      const gridcell = make("div", { role: "gridcell", className: `at-${key}`, "aria-colindex": i + 1 });
      if (typeof content === "string") {
        gridcell.append(write(make("bdi"), content.slice(0, 400))); // no cell shows more
      } else {
        gridcell.append(content);
      }
      element.append(gridcell);
    });
    let after = null;
    for (const other of this.#body.children) {
      if (Number(other.dataset.place) > place) {
        after = other;
        break;
      }
    }
    this.#body.insertBefore(element, after);
    this.#shown.set(place, element);
    return element;
  }

  #click(event) {
    const row = event.target.closest(".row");
    if (row) {
      this.#active = Number(row.dataset.place);
      this.#draw();
      this.#onOpen(this.#active);
    }
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    const page = Math.max(1, Math.floor((innerHeight - this.#element.firstChild.offsetHeight) / this.#height) - 1);
    const to = {
      ArrowDown: this.#active + 1, ArrowUp: this.#active - 1, PageDown: this.#active + page, PageUp: this.#active - page,
      Home: 0, End: this.#rows.length - 1,
    }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      this.focus(to);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#onOpen(this.#active);
    }
  }

  // print puts the first rows into the page as a plain table while it prints.
  #print(on) {
    const most = 1000;
    this.#printing = on;
    this.#clear();
    if (on) {
      this.#body.style.height = "auto";
      const n = Math.min(most, this.#rows.length);
      for (let place = 0; place < n; place++) {
        this.#at(place);
      }
      if (this.#rows.length > n) {
        this.#body.append(make("p", { className: "more" }, `and ${count(this.#rows.length - n)} more rows, which are not printed`));
      }
      return;
    }
    this.#measure();
  }
}
