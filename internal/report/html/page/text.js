// Texts come from a dataset, so they only ever become text nodes. Elements are
// made here, and their names and attributes are constants of this script.

// make returns an element with properties and children; a string among the
// children becomes a text node.
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element && !name.startsWith("aria")) {
      element[name] = value;
    } else {
      element.setAttribute(name, value);
    }
  }
  element.append(...children);
  return element;
}

// Characters that can't be seen, or that change the direction of what follows.
// Joiners are left alone, since letters and emoji need them, and so are the tags
// that follow a black flag: they are the flags of England, Scotland and Wales.
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]*)[\u{e0000}-\u{e007f}]/gu;

const NAMES = {
  "\r": "carriage return", "\u200b": "zero width space", "\u200e": "left-to-right mark",
  "\u200f": "right-to-left mark", "\u061c": "Arabic letter mark", "\u2028": "line separator",
  "\u2029": "paragraph separator", "\u202a": "left-to-right embedding", "\u202b": "right-to-left embedding",
  "\u202c": "pop directional formatting", "\u202d": "left-to-right override", "\u202e": "right-to-left override",
  "\u2066": "left-to-right isolate", "\u2067": "right-to-left isolate", "\u2068": "first strong isolate",
  "\u2069": "pop directional isolate", "\ufeff": "byte order mark",
};

// write appends text to parent, with hidden characters shown by their number
// instead of obeyed.
function write(parent, text) {
  let at = 0;
  for (const found of text.matchAll(HIDDEN)) {
    if (found[0] === "\r" && text[found.index + 1] === "\n") {
      parent.append(text.slice(at, found.index));
      at = found.index + 1;
      continue;
    }
    parent.append(text.slice(at, found.index));
    const number = "U+" + found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    parent.append(make("span", { className: "hidden-character", title: NAMES[found[0]] ?? "hidden character" }, number));
    at = found.index + found[0].length;
  }
  parent.append(text.slice(at));
  return parent;
}

// unitsOf returns a function from a place in text in code points, as results
// count, to the place in UTF-16 units, as JavaScript counts.
function unitsOf(text) {
  if (!/[\ud800-\udfff]/.test(text)) {
    return (n) => Math.min(n, text.length);
  }
  const places = [];
  for (let at = 0; at < text.length; at += text.codePointAt(at) > 0xffff ? 2 : 1) {
    places.push(at);
  }
  return (n) => (n < places.length ? places[n] : text.length);
}

// pieces cuts text at the ends of all spans, and returns its pieces in order,
// each with the spans that cover it and those that begin with it. A span is an
// object with start and end in code points.
function pieces(text, spans) {
  const units = unitsOf(text);
  const placed = spans
    .map((span) => ({ span, from: units(span.start), to: units(span.end) }))
    .filter(({ from, to }) => from < to)
    .sort((a, b) => a.from - b.from);
  const cuts = [...new Set([0, text.length, ...placed.flatMap(({ from, to }) => [from, to])])].sort((a, b) => a - b);
  const result = [];
  let open = [];
  let next = 0;
  for (let i = 0; i + 1 < cuts.length; i++) {
    const begins = [];
    for (; next < placed.length && placed[next].from === cuts[i]; next++) {
      begins.push(placed[next].span);
      open.push(placed[next]);
    }
    open = open.filter(({ to }) => to > cuts[i]);
    result.push({ text: text.slice(cuts[i], cuts[i + 1]), spans: open.map(({ span }) => span), begins });
  }
  return result;
}
