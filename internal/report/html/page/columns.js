// Filters by kept columns. Each has a field column.NAME in the search form: a list of the
// values if there are few, and otherwise a text to search for. The value =TEXT means that
// the column is TEXT.

const PREFIX = "column.";
const MAX_VALUES = 30; // in a list
const MAX_FIELDS = 4; // shown at first; others are added with a list of columns

const keptText = (row, name) => (Object.hasOwn(row.kept, name) ? row.kept[name] : "");

class Columns {
  #rows;
  #names;
  #fields = new Map(); // by name
  #container;

  // The fields are added to container, which is in the form.
  constructor(rows, container) {
    this.#rows = rows;
    this.#container = container;
    this.#names = [...new Set(rows.flatMap((row) => Object.keys(row.kept)))];
    if (this.#names.length <= MAX_FIELDS) {
      this.#names.forEach((name) => this.#add(name));
      return;
    }
    const select = make("select", {}, make("option", { value: "" }, "add a filter"));
    this.#names.forEach((name, i) => select.append(make("option", { value: i }, plain(name))));
    select.addEventListener("input", (event) => {
      event.stopPropagation();
      this.#add(this.#names[select.value]).focus();
      select.value = "";
    });
    container.append(make("label", {}, "Column ", select));
  }

  // addFields adds the fields of columns that parameters have.
  addFields(parameters) {
    for (const name of parameters.keys()) {
      if (name.startsWith(PREFIX) && this.#names.includes(name.slice(PREFIX.length))) {
        this.#add(name.slice(PREFIX.length));
      }
    }
  }

  // add returns the field of a column, which it creates if necessary.
  #add(name) {
    if (this.#fields.has(name)) {
      return this.#fields.get(name);
    }
    const counts = new Map(); // of rows by value
    for (const row of this.#rows) {
      const text = keptText(row, name);
      counts.set(text, (counts.get(text) ?? 0) + 1);
      if (counts.size > MAX_VALUES) {
        break;
      }
    }
    const field = make(counts.size > MAX_VALUES ? "input" : "select", { autocomplete: "off" });
    field.name = PREFIX + name;
    this.#fields.set(name, field);
    if (field.matches("select")) {
      field.append(make("option", { value: "" }, "any"));
      const collator = new Intl.Collator(undefined, { numeric: true });
      for (const [text, n] of [...counts].toSorted(([a], [b]) => collator.compare(a, b))) {
        field.append(make("option", { value: `=${text}` }, `${plain(text) || "(empty)"} (${formatCount(n)})`));
      }
    } else {
      field.placeholder = "contains";
    }
    this.#container.append(make("label", { className: "column" }, make("span", {}, plain(name)), field));
    return field;
  }
}

// columnFilters returns a predicate for each column in query.
function columnFilters(query) {
  return [...query].filter(([field]) => field.startsWith(PREFIX)).map(([field, value]) => {
    const name = field.slice(PREFIX.length);
    const text = value.toLowerCase();
    return value.startsWith("=")
      ? (row) => keptText(row, name) === value.slice(1)
      : (row) => keptText(row, name).toLowerCase().includes(text);
  });
}
