// The rows of the report lie in data blocks of the page: gzip in base64. Those
// of the index are unpacked when the page opens, those of the rows when one of
// them is opened.

// unpack returns the text of a data block. It fails where the file is damaged.
async function unpack(block) {
  const packed = block.textContent;
  const bytes = Uint8Array.fromBase64
    ? Uint8Array.fromBase64(packed)
    : Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

// readIndex unpacks the index, block by block, and yields the rows of each.
async function* readIndex() {
  let place = 0; // of the row within its block
  let before = -1; // the block of the row before
  for (const block of document.querySelectorAll('script[data-block="index"]')) {
    const rows = JSON.parse(await unpack(block)).map(([at, index, id, question, answer, status, faithfulness,
      support, reason, supported, contradicted, notMentioned, cut]) => {
      place = at === before ? place + 1 : 0;
      before = at;
      return {
        block: at, place, index, id, question, answer, status, faithfulness, support, reason,
        supported, contradicted, notMentioned, cut: cut === 1,
        text: (id + "\n" + question + "\n" + answer).toLowerCase(),
      };
    });
    block.remove(); // it is not needed twice
    yield rows;
  }
}

// A Results reads the result of a row, and keeps the blocks that were read last.
class Results {
  #blocks = document.querySelectorAll('script[data-block="rows"]');
  #kept = new Map();

  // of returns the result of a row of the index, as ragfaith writes it.
  async of(row) {
    const lines = await this.#lines(row.block);
    const result = JSON.parse(lines[row.place], exactly);
    if (!row.cut) {
      Object.assign(result, { id: row.id, question: row.question, answer: row.answer });
    }
    return result;
  }

  #lines(at) {
    const most = 4;
    const lines = this.#kept.get(at) ?? unpack(this.#blocks[at]).then((text) => text.split("\n"));
    this.#kept.delete(at);
    this.#kept.set(at, lines);
    if (this.#kept.size > most) {
      this.#kept.delete(this.#kept.keys().next().value);
    }
    return lines;
  }
}

// exactly keeps an integer that a JavaScript number can't hold as it is written.
function exactly(_, value, context) {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && context?.source ? context.source : value;
}
