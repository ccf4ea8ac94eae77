// Texts from the dataset are untrusted and only ever become text nodes. The names and
// attributes of elements are constants of this script.

// make creates an element with properties and children. Strings become text nodes.
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

// Invisible characters and those that change the text direction. Joiners are excluded,
// since letters and emoji need them, and so are tags after a black flag, which form the
// flags of England, Scotland and Wales.
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

const codePoint = (c) => "U+" + c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");

// plain returns the start of a text with hidden characters replaced by their code points,
// for the labels of form fields.
const plain = (text) => text.slice(0, 60).replace(HIDDEN, codePoint);

// write appends text to parent, with hidden characters replaced by their code points.
function write(parent, text) {
  let written = 0;
  for (const found of text.matchAll(HIDDEN)) {
    if (found[0] === "\r" && text[found.index + 1] === "\n") {
      parent.append(text.slice(written, found.index));
      written = found.index + 1;
      continue;
    }
    parent.append(text.slice(written, found.index));
    parent.append(make("span", { className: "hidden-character", title: NAMES[found[0]] ?? "hidden character" }, codePoint(found[0])));
    written = found.index + found[0].length;
  }
  parent.append(text.slice(written));
  return parent;
}

// utf16Offsets returns a function that converts a position in text from code points, as in
// results, to UTF-16 code units, as in JavaScript strings.
function utf16Offsets(text) {
  if (!/[\ud800-\udfff]/.test(text)) {
    return (n) => Math.min(n, text.length);
  }
  const offsets = [];
  for (let at = 0; at < text.length; at += text.codePointAt(at) > 0xffff ? 2 : 1) {
    offsets.push(at);
  }
  return (n) => (n < offsets.length ? offsets[n] : text.length);
}

// splitAtSpans splits text at the start and end of all spans. Each piece has the spans
// that cover it and those that start with it. Spans have start and end in code points.
function splitAtSpans(text, spans) {
  const offset = utf16Offsets(text);
  const placed = spans
    .map((span) => ({ span, from: offset(span.start), to: offset(span.end) }))
    .filter(({ from, to }) => from < to)
    .sort((a, b) => a.from - b.from);
  const cuts = [...new Set([0, text.length, ...placed.flatMap(({ from, to }) => [from, to])])].sort((a, b) => a - b);
  const result = [];
  let open = [];
  let next = 0;
  for (let i = 0; i + 1 < cuts.length; i++) {
    const starting = [];
    for (; next < placed.length && placed[next].from === cuts[i]; next++) {
      starting.push(placed[next].span);
      open.push(placed[next]);
    }
    open = open.filter(({ to }) => to > cuts[i]);
    result.push({ text: text.slice(cuts[i], cuts[i + 1]), spans: open.map(({ span }) => span), starting });
  }
  return result;
}
