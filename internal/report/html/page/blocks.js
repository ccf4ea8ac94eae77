// The rows are stored in data blocks: base64 of gzip. Index blocks are decompressed when
// the page opens, row blocks when one of their rows is opened.

// decompress returns the text of a data block. It fails if the file is damaged.
async function decompress(block) {
  const encoded = block.textContent;
  const bytes = Uint8Array.fromBase64
    ? Uint8Array.fromBase64(encoded)
    : Uint8Array.from(atob(encoded), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

const NOTHING = {}; // kept columns of rows without any

// readIndex decompresses the index block by block and yields the rows of each. A row has
// its kept columns as texts in kept, of which long ones are truncated.
async function* readIndex() {
  let line = 0; // of the row within its block
  let previous = -1; // block of the previous row
  for (const block of document.querySelectorAll('script[data-block="index"]')) {
    const rows = JSON.parse(await decompress(block)).map(([rowBlock, index, id, question, answer, status, faithfulness,
      support, confidence, reason, supported, contradicted, notMentioned, truncated, excerpt, kept = NOTHING]) => {
      line = rowBlock === previous ? line + 1 : 0;
      previous = rowBlock;
      return {
        block: rowBlock, line, index, id, question, answer, status, faithfulness, support, confidence, reason,
        supported, contradicted, notMentioned, truncated: truncated === 1, excerpt, kept,
        text: (id + "\n" + question + "\n" + answer + (status === "failed" ? "\n" + reason : "")).toLowerCase(),
      };
    });
    block.remove(); // frees memory
    yield rows;
  }
}

// Results reads results of rows and caches the most recent blocks.
class Results {
  #blocks = document.querySelectorAll('script[data-block="rows"]');
  #cache = new Map(); // by block, least recently used first

  // get returns the result of a row of the index, as in JSONL, with its kept columns as
  // texts in kept.
  async get(row) {
    const lines = await this.#lines(row.block);
    const result = JSON.parse(lines[row.line]);
    if (!row.truncated) {
      Object.assign(result, { id: row.id, question: row.question, answer: row.answer });
    }
    const kept = Object.entries(row.kept).map(([name, text]) => {
      const value = Object.hasOwn(result, name) ? result[name] : text;
      return [name, typeof value === "string" ? value : JSON.stringify(value)];
    });
    return { ...result, kept };
  }

  #lines(block) {
    const maxBlocks = 4;
    const lines = this.#cache.get(block) ?? decompress(this.#blocks[block]).then((text) => text.split("\n"));
    this.#cache.delete(block);
    this.#cache.set(block, lines);
    if (this.#cache.size > maxBlocks) {
      this.#cache.delete(this.#cache.keys().next().value);
    }
    return lines;
  }
}
