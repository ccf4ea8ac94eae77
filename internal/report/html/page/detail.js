// Detail is the dialog with one row: the answer with its claims marked, next to the chunks
// with the evidence. Claims and chunks are numbered from 0, as in results and reasons.
class Detail {
  #dialog;
  #rows;
  #position = -1;
  #selected = -1; // index of the highlighted claim; -1 if there is none
  #shown = false; // the dialog is open and close was not called

  // rows has the methods result(row), which returns a promise, at(position) and count()
  // of the rows in the table, opened(row), and closed(position), called when the dialog is
  // closed.
  constructor(dialog, rows) {
    this.#dialog = dialog;
    this.#rows = rows;
    dialog.addEventListener("keydown", (event) => this.#key(event));
    dialog.addEventListener("click", (event) => this.#click(event));
    // This event is asynchronous: after close, the next row may already be opening.
    dialog.addEventListener("close", () => {
      if (this.#shown && !dialog.open) {
        this.close();
      }
    });
  }

  get position() {
    return this.#position;
  }

  // open shows the row at a position of the table.
  async open(position) {
    const row = this.#rows.at(position);
    this.#position = position;
    this.#selected = -1;
    this.#rows.opened(row);
    let body;
    try {
      body = this.#body(await this.#rows.result(row));
    } catch {
      body = make("p", { role: "alert", className: "trouble" }, "This row of the file is damaged and can’t be shown.");
    }
    if (this.#position !== position) {
      return; // closed, or another row was opened, in the meantime
    }
    this.#dialog.replaceChildren(this.#bar(row, position), body);
    if (!this.#dialog.open) {
      this.#dialog.showModal();
      this.#shown = true;
    }
    this.#dialog.querySelector("h2").focus();
    this.#dialog.scrollTop = 0;
  }

  // close closes the dialog synchronously, so that the table receives the next key.
  close() {
    if (this.#position < 0) {
      return;
    }
    const position = this.#position;
    this.#position = -1;
    this.#shown = false;
    this.#dialog.close();
    this.#rows.closed(position);
  }

  #bar(row, position) {
    const step = (word, sign, target) => make("button", {
      type: "button", className: "step", disabled: this.#rows.at(target) === undefined, title: `${word} row`,
      "aria-label": `${word} row`, onclick: () => this.open(target),
    }, sign);
    const title = make("h2", { id: "detail-title", tabIndex: -1 }, `Row ${row.index} `);
    if (row.id !== String(row.index)) {
      title.append(write(make("bdi", { className: "id" }), row.id));
    }
    return make("div", { className: "bar" },
      title,
      make("span", { className: "where" }, `${formatCount(position + 1)} of ${formatCount(this.#rows.count())}`),
      step("Previous", "←", position - 1),
      step("Next", "→", position + 1),
      make("button", { type: "button", className: "close", onclick: () => this.close() }, "Close"));
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
    if (result.kept.length > 0) {
      left.append(make("h3", {}, "Columns"), this.#kept(result));
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
    add("score", formatScore(result.faithfulness));
    add("support", formatScore(result.support));
    if (result.confidence !== null) {
      add("confidence", formatScore(result.confidence));
    }
    add("words in no judged claim", result.unjudged_share === null ? "–" : `${Math.round(100 * result.unjudged_share)}%`);
    if (result.unresolved_citations !== undefined) {
      add("citations", `recall ${formatScore(result.citation_recall)}, precision ${formatScore(result.citation_precision)}, ${result.unresolved_citations} unresolved`);
    }
    const { requests, prompt_tokens: prompt, completion_tokens: completion, cached_requests: cached } = result.usage;
    if (requests + cached > 0) {
      add("requests", `${requests} sent, ${cached} from the cache, ${formatCount(prompt)} + ${formatCount(completion)} tokens`);
    }
    if (result.marks) {
      add("marks", result.marks.join(", ").replaceAll("_", " "));
    }
    return facts;
  }

  // answer returns the answer with its claims marked. A rewritten claim is marked at its
  // source sentence.
  #answer(result) {
    const spans = [];
    const offset = utf16Offsets(result.answer);
    result.claims.forEach((claim, i) => {
      const from = claim.start === null ? claim.from : claim;
      if (!from) {
        return;
      }
      spans.push({ start: from.start, end: from.end, claim: i });
      if (claim.start !== null && result.answer.slice(offset(claim.start), offset(claim.end)) === claim.text) {
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

  // marked writes text into parent, marks the spans of claims, and puts a button with the
  // claim's number before each.
  #marked(parent, result, text, spans, word) {
    for (const piece of splitAtSpans(text, spans)) {
      for (const { claim, role } of piece.starting) {
        if (claim !== undefined) {
          parent.append(this.#number(result, claim, ROLES[role]?.mark ?? word));
        }
      }
      const claims = piece.spans.filter(({ claim }) => claim !== undefined).map(({ claim }) => claim);
      let container = parent;
      if (claims.length > 0) {
        const mark = make("mark", { className: `claim ${worst(claims.map((i) => result.claims[i].verdict))}` });
        mark.dataset.claims = claims.join(" ");
        parent.append(mark);
        container = mark;
      } else if (piece.spans.some(({ skipped }) => skipped)) {
        container = make("span", { className: "skipped" });
        parent.append(container);
      }
      if (piece.spans.some(({ unsupported }) => unsupported)) {
        const part = make("u", { className: "unsupported", title: "not supported" });
        container.append(part);
        container = part;
      }
      write(container, piece.text);
    }
    return parent;
  }

  // number returns a button that highlights a claim.
  #number(result, i, word) {
    const { verdict } = result.claims[i];
    const { word: label, sign } = VERDICTS[verdict] ?? UNJUDGED;
    const button = make("button", {
      type: "button", className: `number ${verdict ?? "unjudged"}`, title: `${word} ${i}, ${label}`,
      "aria-label": `${word} ${i}, ${label}`, "aria-pressed": "false",
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
        make("span", { className: "score" }, claim.score === null ? "" : ` · score ${formatScore(claim.score)}`,
          claim.confidence === null ? "" : ` · confidence ${formatScore(claim.confidence)}`));
      head.dataset.claims = String(i);
      const text = make("p", { className: "text", dir: "auto" });
      if (claim.lead) {
        write(text, `${claim.lead}: `);
      }
      for (const piece of splitAtSpans(claim.text, claim.unsupported ?? [])) {
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
        note("Underlined: unsupported parts.");
      }
      if (claim.invented) {
        note("The rewritten claim says something that the answer does not.");
      }
      if (claim.prescreened) {
        note("Decided offline by the prescreen.");
      }
      if (claim.offline_verdict) {
        note(`Audit of the prescreen, whose verdict was ${claim.offline_verdict}.`);
      }
      if (claim.cached) {
        note(`Verdict from the ${claim.cached} cache, similarity ${formatScore(claim.cosine)}, originally for: `, write(make("bdi"), claim.cached_from));
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

  // citations lists the citations of a claim and whether they support it.
  #citations(citations) {
    const list = make("ul", { className: "citations", "aria-label": "Citations" });
    for (const { text, chunk, verdict } of citations) {
      const { word, sign } = VERDICTS[verdict] ?? UNJUDGED;
      const label = chunk === null ? "unresolved" : `chunk ${chunk}: ${word}`;
      list.append(make("li", { className: `citation ${chunk === null ? "unresolved" : verdict ?? "unjudged"}` },
        write(make("bdi"), text), make("span", { className: "badge" },
          make("span", { "aria-hidden": "true" }, `${chunk === null ? "✗" : sign} `), label)));
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

  // kept lists the columns of the dataset that were kept (--keep).
  #kept(result) {
    const list = make("dl", { className: "kept" });
    for (const [name, text] of result.kept) {
      list.append(make("div", {}, write(make("dt"), name), write(make("dd", { dir: "auto" }), text)));
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

  // select highlights a claim and its evidence, or nothing if claim is -1.
  #select(claim) {
    this.#selected = claim;
    this.#dialog.classList.toggle("selecting", claim >= 0);
    for (const element of this.#dialog.querySelectorAll("[data-claims]")) {
      const selected = element.dataset.claims.split(" ").includes(String(claim));
      element.classList.toggle("selected", selected);
      if (element.hasAttribute("aria-pressed")) {
        element.setAttribute("aria-pressed", String(selected));
      }
    }
  }

  // reveal scrolls an element into view within its side. On a small screen, where both
  // sides scroll together, it scrolls only for a jump.
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
      this.#select(Number(claim));
      const marks = this.#dialog.querySelectorAll(`[data-chunk="${chunk}"] .number.selected`);
      this.#reveal(marks[0], true);
      marks[0]?.focus({ preventScroll: true });
      return;
    }
    const target = event.target.closest("[data-claims]");
    if (!target || String(getSelection()) !== "") {
      return; // do not interfere with a text selection
    }
    const claims = target.dataset.claims.split(" ").map(Number);
    const next = claims[(claims.indexOf(this.#selected) + 1) % claims.length];
    this.#select(claims.length === 1 && next === this.#selected ? -1 : next);
    this.#reveal(this.#dialog.querySelector(".chunk-side mark.selected"), false);
    if (!target.closest(".claim-list")) {
      this.#reveal(this.#dialog.querySelector(".claim-card.selected"), false);
    }
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) {
      return;
    }
    if (event.key === "Escape") {
      event.preventDefault();
      this.close();
      return;
    }
    const row = { ArrowLeft: this.#position - 1, ArrowRight: this.#position + 1 }[event.key];
    if (row !== undefined && this.#rows.at(row)) {
      event.preventDefault();
      this.open(row);
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && event.target.matches(".verdict")) {
      const heads = [...this.#dialog.querySelectorAll(".verdict")];
      const next = heads[heads.indexOf(event.target) + step];
      if (next) {
        event.preventDefault();
        next.focus();
        this.#select(Number(next.dataset.claims));
        this.#reveal(this.#dialog.querySelector(".chunk-side mark.selected"), false);
      }
    }
  }
}

// worst returns the verdict that determines the color of a text with several claims.
function worst(verdicts) {
  return ["contradicted", "not_mentioned", "supported"].find((verdict) => verdicts.includes(verdict)) ?? "unjudged";
}
