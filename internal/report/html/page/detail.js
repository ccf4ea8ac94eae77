// A Detail shows one row: its answer with the claims marked, and beside it the
// chunks with the evidence. Claims and chunks have the numbers that results give
// them, from 0, since reasons name them so.
class Detail {
  #dialog;
  #rows;
  #place = -1;
  #chosen = -1; // the claim that is pointed out; -1 for none
  #shown = false; // the dialog is open, and was not closed by #close

  // rows has result(row), a promise; at(place) and count() of the rows listed;
  // and closed(place), which is called when the dialog was closed.
  constructor(dialog, rows) {
    this.#dialog = dialog;
    this.#rows = rows;
    dialog.addEventListener("keydown", (event) => this.#key(event));
    dialog.addEventListener("click", (event) => this.#click(event));
    // This event comes late. By then, after a close of our own, the next row may
    // be about to open.
    dialog.addEventListener("close", () => {
      if (this.#shown && !dialog.open) {
        this.#close();
      }
    });
  }

  get place() {
    return this.#place;
  }

  // open shows the row at a place of the table.
  async open(place) {
    const row = this.#rows.at(place);
    this.#place = place;
    this.#chosen = -1;
    this.#address(`#row-${row.index}`);
    let body;
    try {
      body = this.#body(await this.#rows.result(row));
    } catch {
      body = make("p", { role: "alert", className: "trouble" }, "This row of the file is damaged and can’t be shown.");
    }
    if (this.#place !== place) {
      return; // another was opened, or this one closed, meanwhile
    }
    this.#dialog.replaceChildren(this.#bar(row, place), body);
    if (!this.#dialog.open) {
      this.#dialog.showModal();
      this.#shown = true;
    }
    this.#dialog.querySelector("h2").focus();
    this.#dialog.scrollTop = 0;
  }

  // close ends the dialog at once, so that the next key is for the table already.
  #close() {
    const place = this.#place;
    this.#place = -1;
    this.#shown = false;
    this.#dialog.close();
    this.#address("");
    this.#rows.closed(place);
  }

  // address puts the row into the address of the page, where that can be done.
  #address(hash) {
    try {
      history.replaceState(null, "", hash || location.pathname + location.search);
    } catch {
      // a page in a sandbox has no address of its own
    }
  }

  #bar(row, place) {
    const step = (word, sign, to) => make("button", {
      type: "button", className: "step", disabled: this.#rows.at(to) === undefined, title: `${word} row`,
      "aria-label": `${word} row`, onclick: () => this.open(to),
    }, sign);
    const title = make("h2", { id: "detail-title", tabIndex: -1 }, `Row ${row.index} `);
    if (row.id !== String(row.index)) {
      title.append(write(make("bdi", { className: "id" }), row.id));
    }
    return make("div", { className: "bar" },
      title,
      make("span", { className: "where" }, `${count(place + 1)} of ${count(this.#rows.count())}`),
      step("Previous", "←", place - 1),
      step("Next", "→", place + 1),
      make("button", { type: "button", className: "close", onclick: () => this.#close() }, "Close"));
  }

  #body(result) {
    const left = make("div", { className: "side answer-side", role: "region", "aria-label": "Answer and claims", tabIndex: 0 });
    const right = make("div", { className: "side chunk-side", role: "region", "aria-label": "Chunks", tabIndex: 0 });
    left.append(this.#facts(result));
    if (result.error !== null) {
      left.append(make("h3", {}, "Error"), write(make("p", { className: "text trouble" }), result.error));
    }
    if (result.question !== "") {
      left.append(make("h3", {}, "Question"), write(make("p", { className: "text", dir: "auto" }), result.question));
    }
    left.append(make("h3", {}, "Answer"), this.#answer(result));
    if (result.claims.length > 0) {
      left.append(make("h3", {}, "Claims"), this.#claims(result));
    }
    if (result.skipped.length > 0) {
      left.append(make("h3", {}, "Not judged"), this.#skipped(result));
    }
    const kept = this.#kept(result);
    if (kept) {
      left.append(make("h3", {}, "Columns"), kept);
    }
    const roles = Object.keys(ROLES).filter((role) => result.claims.some(({ evidence }) => evidence.some((e) => e.role === role)));
    if (roles.length > 0) {
      right.append(make("p", { className: "note legend" }, roles.map((role) => ROLES[role].legend).join(" · ")));
    }
    result.contexts.forEach((text, chunk) => right.append(this.#chunk(result, text, chunk)));
    return make("div", { className: "sides" }, left, right);
  }

  #facts(result) {
    const facts = make("dl", { className: "row-facts" });
    const add = (name, value) => facts.append(make("div", {}, make("dt", {}, name), make("dd", {}, value)));
    add("status", STATUSES[result.status] + (result.reason ? ` (${result.reason.replaceAll("_", " ")})` : ""));
    add("score", score(result.faithfulness));
    add("support", score(result.support));
    if (result.unresolved_citations !== undefined) {
      add("citations", `recall ${score(result.citation_recall)}, precision ${score(result.citation_precision)}, ${result.unresolved_citations} resolve to nothing`);
    }
    const { requests, prompt_tokens: prompt, completion_tokens: completion, cached_requests: cached } = result.usage;
    if (requests + cached > 0) {
      add("requests", `${requests} sent, ${cached} from the cache, ${count(prompt)} + ${count(completion)} tokens`);
    }
    return facts;
  }

  // answer is the answer with its claims marked. A claim that was rewritten is
  // marked at the sentence that it came from.
  #answer(result) {
    const spans = [];
    const units = unitsOf(result.answer);
    result.claims.forEach((claim, i) => {
      const from = claim.start === null ? claim.from : claim;
      if (!from) {
        return;
      }
      spans.push({ start: from.start, end: from.end, claim: i });
      if (claim.start !== null && result.answer.slice(units(claim.start), units(claim.end)) === claim.text) {
        for (const { start, end } of claim.unsupported ?? []) {
          spans.push({ start: claim.start + start, end: claim.start + end, unsupported: true });
        }
      }
    });
    for (const { start, end } of result.skipped) {
      if (start !== null) {
        spans.push({ start, end, skipped: true });
      }
    }
    return this.#marked(make("p", { className: "text answer", dir: "auto" }), result, result.answer, spans, "Claim");
  }

  // marked writes text into parent with marks where spans of claims are, and at
  // the beginning of each a button with the claim's number.
  #marked(parent, result, text, spans, word) {
    for (const piece of pieces(text, spans)) {
      for (const { claim, role } of piece.begins) {
        if (claim !== undefined) {
          parent.append(this.#number(result, claim, ROLES[role]?.mark ?? word));
        }
      }
      const claims = piece.spans.filter(({ claim }) => claim !== undefined).map(({ claim }) => claim);
      let holder = parent;
      if (claims.length > 0) {
        const mark = make("mark", { className: `claim ${worst(claims.map((i) => result.claims[i].verdict))}` });
        mark.dataset.claims = claims.join(" ");
        parent.append(mark);
        holder = mark;
      } else if (piece.spans.some(({ skipped }) => skipped)) {
        holder = make("span", { className: "skipped" });
        parent.append(holder);
      }
      if (piece.spans.some(({ unsupported }) => unsupported)) {
        const part = make("u", { className: "unsupported", title: "not supported" });
        holder.append(part);
        holder = part;
      }
      write(holder, piece.text);
    }
    return parent;
  }

  // number is a button that points out a claim.
  #number(result, i, word) {
    const { verdict } = result.claims[i];
    const { word: says, sign } = VERDICTS[verdict] ?? UNJUDGED;
    const button = make("button", {
      type: "button", className: `number ${verdict ?? "unjudged"}`, title: `${word} ${i}, ${says}`,
      "aria-label": `${word} ${i}, ${says}`, "aria-pressed": "false",
    }, `${i}${sign}`);
    button.dataset.claims = String(i);
    return button;
  }

  #claims(result) {
    const list = make("ol", { className: "claim-list" });
    result.claims.forEach((claim, i) => {
      const verdict = VERDICTS[claim.verdict] ?? UNJUDGED;
      const item = make("li", { className: `claim-card ${claim.verdict ?? "unjudged"}` });
      item.dataset.claims = String(i);
      const head = make("button", { type: "button", className: "verdict", "aria-pressed": "false" },
        make("span", { className: "badge" }, make("span", { "aria-hidden": "true" }, `${verdict.sign} `), verdict.word),
        make("span", { className: "which" }, ` claim ${i}`),
        make("span", { className: "score" }, claim.score === null ? "" : ` · score ${score(claim.score)}`));
      head.dataset.claims = String(i);
      const text = make("p", { className: "text", dir: "auto" });
      if (claim.lead) {
        write(text, `${claim.lead}: `);
      }
      for (const piece of pieces(claim.text, claim.unsupported ?? [])) {
        const part = piece.spans.length > 0 ? make("u", { className: "unsupported", title: "not supported" }) : text;
        write(part, piece.text);
        if (part !== text) {
          text.append(part);
        }
      }
      item.append(head, text);
      if (claim.judged_as) {
        item.append(write(make("p", { className: "note", dir: "auto" }), `Judged as: ${claim.judged_as}`));
      }
      if (claim.citations) {
        item.append(this.#citations(claim.citations));
      }
      const note = (...content) => item.append(make("p", { className: "note", dir: "auto" }, ...content));
      if (claim.reason) {
        note(write(make("bdi"), claim.reason));
      }
      if (claim.unsupported?.length > 0) {
        note("Underlined: what nothing supports.");
      }
      if (claim.invented) {
        note("The rewritten claim says what the answer does not.");
      }
      if (claim.cached) {
        note(`Verdict from the ${claim.cached} cache, likeness ${score(claim.cosine)}, made for: `, write(make("bdi"), claim.cached_from));
      }
      if (claim.chunk_ids.length > 0) {
        note(`Supported by ${claim.chunk_ids.length === 1 ? "chunk" : "chunks"} ${claim.chunk_ids.join(", ")}.`);
      }
      for (const { chunk, quote, role } of claim.evidence) {
        const quoted = write(make("q", { dir: "auto" }), quote);
        const jump = make("button", { type: "button", className: "quote", title: `Show in chunk ${chunk}` },
          make("span", { className: "which" }, `${ROLES[role]?.quote ?? "Chunk"} ${chunk} `), quoted);
        jump.dataset.jump = `${i} ${chunk}`;
        item.append(jump);
      }
      list.append(item);
    });
    return list;
  }

  // citations lists what a claim cites, and whether that supports it.
  #citations(citations) {
    const list = make("ul", { className: "citations", "aria-label": "Citations" });
    for (const { text, chunk, verdict } of citations) {
      const { word, sign } = VERDICTS[verdict] ?? UNJUDGED;
      const says = chunk === null ? "resolves to nothing" : `chunk ${chunk}: ${word}`;
      list.append(make("li", { className: `citation ${chunk === null ? "unresolved" : verdict ?? "unjudged"}` },
        write(make("bdi"), text), make("span", { className: "badge" },
          make("span", { "aria-hidden": "true" }, `${chunk === null ? "✗" : sign} `), says)));
    }
    return list;
  }

  #skipped(result) {
    const list = make("ul", { className: "skipped-list" });
    for (const { kind, text } of result.skipped) {
      list.append(make("li", {}, make("span", { className: "kind" }, `${kind.replaceAll("_", " ")}: `), write(make("bdi"), text)));
    }
    return list;
  }

  // kept lists the columns that were carried over from the dataset.
  #kept(result) {
    const own = new Set(["index", "id", "question", "answer", "contexts", "faithfulness", "support", "status", "reason",
      "claims", "skipped", "error", "usage", "citation_recall", "citation_precision", "unresolved_citations"]);
    const columns = Object.entries(result).filter(([name]) => !own.has(name));
    if (columns.length === 0) {
      return null;
    }
    const list = make("dl", { className: "kept" });
    for (const [name, value] of columns) {
      const shown = typeof value === "string" ? value : JSON.stringify(value);
      list.append(make("div", {}, write(make("dt"), name), write(make("dd", { dir: "auto" }), shown)));
    }
    return list;
  }

  #chunk(result, text, chunk) {
    const spans = result.claims.flatMap((claim, i) => claim.evidence
      .filter((evidence) => evidence.chunk === chunk && evidence.start !== null)
      .map(({ start, end, role }) => ({ start, end, role, claim: i })));
    const article = make("article", { className: "chunk", "aria-label": `Chunk ${chunk}` },
      make("h3", {}, `Chunk ${chunk}`),
      this.#marked(make("p", { className: "text", dir: "auto" }), result, text, spans, "Evidence for claim"));
    article.dataset.chunk = String(chunk);
    return article;
  }

  // choose points out a claim and its evidence, or none with -1.
  #choose(claim) {
    this.#chosen = claim;
    this.#dialog.classList.toggle("choosing", claim >= 0);
    for (const element of this.#dialog.querySelectorAll("[data-claims]")) {
      const on = element.dataset.claims.split(" ").includes(String(claim));
      element.classList.toggle("chosen", on);
      if (element.hasAttribute("aria-pressed")) {
        element.setAttribute("aria-pressed", String(on));
      }
    }
  }

  // reveal scrolls to an element within its side, so that nothing else moves. On
  // a small screen the sides are one, and only a jump may move it.
  #reveal(element, jump) {
    const side = element?.closest(".side");
    if (!side) {
      return;
    }
    if (getComputedStyle(side).overflowY === "auto") {
      const box = element.getBoundingClientRect();
      const frame = side.getBoundingClientRect();
      if (box.top < frame.top || box.bottom > frame.bottom) {
        side.scrollTop += box.top - frame.top - frame.height / 4;
      }
    } else if (jump) {
      element.scrollIntoView({ block: "center" });
    }
  }

  #click(event) {
    const jump = event.target.closest("[data-jump]");
    if (jump) {
      const [claim, chunk] = jump.dataset.jump.split(" ");
      this.#choose(Number(claim));
      const marks = this.#dialog.querySelectorAll(`[data-chunk="${chunk}"] .number.chosen`);
      this.#reveal(marks[0], true);
      marks[0]?.focus({ preventScroll: true });
      return;
    }
    const target = event.target.closest("[data-claims]");
    if (!target || String(getSelection()) !== "") {
      return; // whoever selects text wants to copy it
    }
    const claims = target.dataset.claims.split(" ").map(Number);
    const next = claims[(claims.indexOf(this.#chosen) + 1) % claims.length];
    this.#choose(claims.length === 1 && next === this.#chosen ? -1 : next);
    this.#reveal(this.#dialog.querySelector(".chunk-side mark.chosen"), false);
    if (!target.closest(".claim-list")) {
      this.#reveal(this.#dialog.querySelector(".claim-card.chosen"), false);
    }
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) {
      return;
    }
    if (event.key === "Escape") {
      event.preventDefault();
      this.#close();
      return;
    }
    const row = { ArrowLeft: this.#place - 1, ArrowRight: this.#place + 1 }[event.key];
    if (row !== undefined && this.#rows.at(row)) {
      event.preventDefault();
      this.open(row);
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && event.target.matches(".verdict")) {
      const heads = [...this.#dialog.querySelectorAll(".verdict")];
      const to = heads[heads.indexOf(event.target) + step];
      if (to) {
        event.preventDefault();
        to.focus();
        this.#choose(Number(to.dataset.claims));
        this.#reveal(this.#dialog.querySelector(".chunk-side mark.chosen"), false);
      }
    }
  }
}

// worst is the verdict by which a text with several claims is coloured.
function worst(verdicts) {
  return ["contradicted", "not_mentioned", "supported"].find((verdict) => verdicts.includes(verdict)) ?? "unjudged";
}
