"""Edits that replace a word: antonyms, related nouns and verbs, and comparisons."""

from __future__ import annotations

import re

from . import tables
from .change import Case, Change, pick, shuffled
from .premise import STOP, WORD, match_case, stem

RELATED_NOUNS = {w: [x for line in tables.NOUN_FAMILIES if w in line for x in line if x != w] for line in tables.NOUN_FAMILIES for w in line}
DETERMINERS = set("""a an the his her its their our my your this that these those some any each every no both two three many
several of in on at by for with from to into and or""".split())
SUBJECTS = set("he she it they we i you who which that to and will would can could may might must should not did does do".split())


def _fits(case: Case, old: str, new: str) -> bool:
    """Reports whether new can replace old: it is neither in the claim nor a synonym, and makes the claim false."""
    if re.search(r"\b%s\b" % re.escape(new.lower()), case.lower) or stem(new) in case.content:
        return False
    if stem(new) == stem(old) or case.stays_true(new, old):
        return False
    lex = case.lexicon
    return not any(new in t.get((old, p), ()) or old in t.get((new, p), ()) for t in (lex.synonyms, lex.loose) for p in "nvar")


def _words(case: Case):
    """Yields (match, word, previous word, next word), in lower case, of words without hyphens."""
    found = list(WORD.finditer(case.claim))
    for i, m in enumerate(found):
        around = case.claim[max(0, m.start() - 1): m.start()] + case.claim[m.end(): m.end() + 1]
        if "-" in around or "/" in around or (m.group()[0].isupper() and i > 0):
            continue
        yield (m, m.group().lower(), found[i - 1].group().lower() if i else "",
               found[i + 1].group().lower() if i + 1 < len(found) else "")


def antonym(case: Case) -> Change | None:
    """Replaces an adjective or adverb by its opposite."""
    found = []
    for m, word, before, after in _words(case):
        row = tables.ADJECTIVE_ANTONYMS.get(word) or tables.ADVERB_ANTONYMS.get(word)
        if not row or after in tables.NO_ANTONYM_AFTER.get(word, "").split() or case.negated(m.start()):
            continue
        if word in tables.ADJECTIVE_ANTONYMS:
            noun_next = after and after not in tables.STOP
            predicate = before in ("is", "are", "was", "were", "be", "very", "more", "most", "been", "so", "too", "highly", "less")
            if not (noun_next or predicate) or (word in ("first", "open", "light", "cold", "like") and before not in ("the", "a")):
                continue
        if before in ("one", "at", "so", "as", "how", "too") or after in ("as", "than"):
            continue
        found.append((m, word, row))
    for m, word, row in shuffled(case.rng, found):
        new = case.rng.choice(row)
        if _fits(case, word, new):
            return case.result(m.start(), m.end(), match_case(m.group(), new), "contradicted" if word in case.premise.words else "not_supported", "antonym")
    return None


def verb(case: Case) -> Change | None:
    """Replaces a verb by its opposite or a related verb, in the same form."""
    found = []
    for m, word, before, after in _words(case):
        for lemma, tag in case.lexicon.forms.get(word, ()):
            row = tables.VERB_ANTONYMS.get(lemma, []), tables.VERB_ALTERNATIVES.get(lemma, [])
            if not row[0] and not row[1] or case.negated(m.start()) or m.start() == 0:
                continue
            if tag == "past" and re.search(r"\b(?:is|are|was|were|been|be|being|has|have|had)(?: \w+ly| also| been)? $", case.lower[: m.start()]):
                tag = "part"
            plain = before in SUBJECTS or before.endswith("s") or before[:1].isupper()
            if tag in ("base", "s") and (before in DETERMINERS - {"to", "that", "and", "this"} or not (plain or tag == "s" and before == "this") or
                                         after in ("", "of", "and", "is", "was", "are", "by")):
                continue
            if tag in ("past", "part", "ing") and (before in ("a", "an", "the", "of", "his", "her", "its", "their") or after in ("of",)):
                continue
            if tag == "ing" and before not in ("is", "are", "was", "were", "by", "for", "of", "started", "began", "been"):
                continue
            found.append((m, lemma, tag, row))
            break
    for m, lemma, tag, (opposite, alternative) in shuffled(case.rng, found):
        after = case.lower[m.end():]
        if re.match(r" (?:up|down|out|off|away|over|on|into|with|to|in|at|as|from|for|that|by)\b", after) and not (
                opposite and re.match(r" (?:to|from|in|by|for|with|that|at|as)\b", after)) and not (tag == "part" and re.match(r" (?:by|in|at|as|for|from)\b", after)):
            continue
        if lemma in ("begin", "start") and re.match(r" (?:to|\w+ing)\b", after):
            continue
        pool = opposite if opposite and (not alternative or case.rng.random() < 0.7) else alternative
        new = pick(case.rng, pool)
        if not new or (" " in new and tag == "part"):
            continue
        form = case.lexicon.verb(new, tag)
        if _fits(case, lemma, new) and form.split()[0] not in case.lower:
            label = "contradicted" if new in opposite and stem(lemma) in map(stem, case.premise.words) else "not_supported"
            return case.result(m.start(), m.end(), match_case(m.group(), form), label, "verb")
    return None


def noun(case: Case) -> Change | None:
    """Replaces a noun by a related noun, preferably from the premise."""
    lex, found = case.lexicon, []
    for m, word, before, after in _words(case):
        single = word if word in RELATED_NOUNS else next((s for s in (word[:-1], word[:-2], word[:-3] + "y") if s in RELATED_NOUNS and lex.plural(s) == word), None)
        if single is None and word in PLURAL_OF:
            single = PLURAL_OF[word]
        if not single or case.negated(m.start()):
            continue
        if word in AMBIGUOUS and (before not in DETERMINERS - {"to", "and"} or after and after not in STOP):
            continue
        found.append((m, word, single, after))
    for m, word, single, after in shuffled(case.rng, found):
        pool = RELATED_NOUNS[single]
        inside = [x for x in pool if x in case.premise.words]
        new = case.rng.choice(inside if inside and case.rng.random() < 0.6 else pool)
        form = new if word == single else lex.plural(new)
        if _fits(case, word, form) and _fits(case, single, new):
            return case.result(m.start(), m.end(), match_case(m.group(), form), "not_supported", "noun")
    return None


PLURAL_OF = {p: s for s, p in tables.PLURALS.items() if s in RELATED_NOUNS}
AMBIGUOUS = set("""play book film plane table list single water fish train ship bus sound picture judge pilot guard coach
author head back hand heart face eye fire storm battle strike button string file store light lead iron oil fly
north south east west server client host bond stock cost tax drug image male female white black red blue green yellow orange
grey brown purple mean novel history art medicine present leader wood sun gold""".split())


def comparison(case: Case) -> Change | None:
    """Reverses a comparison."""
    found: list[tuple[int, int, str]] = []
    for m, word, before, after in _words(case):
        row = tables.COMPARATIVES.get(word)
        if row and before not in ("no", "not", "or", "at", "s", "any", "or", "much better") and after not in ("or", "known", "and"):
            if word in ("above", "below") and not re.match(r" (?:the|\d|a)", case.claim[m.end():]) or word in ("best", "better", "later") and (
                    before not in ("the", "is", "are", "was", "were", "a", "significantly", "much", "achieves", "achieve", "with", "performed")):
                continue
            found.append((m.start(), m.end(), case.rng.choice(row)))
    for m in re.finditer(r"\bmore(?= than\b| [a-z]+(?:ed|ive|ful|ous|ant|ent|ing|able|ible|al|ate|ly|ic|ar|lex|cult|sive)\b)", case.claim):
        found.append((m.start(), m.end(), "less"))
    for m in re.finditer(r"\bmore(?= [a-z]{3,}s\b)(?! (?:always|perhaps|focus))", case.claim):
        found.append((m.start(), m.end(), "fewer"))
    for m in re.finditer(r"\b(?:less|fewer)\b(?! or\b)", case.claim):
        found.append((m.start(), m.end(), "more"))
    for m in re.finditer(r"(?<=the )most(?= [a-z]+(?:ed|ive|ful|ous|ant|ent|ing|able|ible|al|ate|ly|ic|ar|mon)\b)", case.claim):
        found.append((m.start(), m.end(), "least"))
    for m in re.finditer(r"\b(?:at least|at most|up to|over|under)(?= [$€£]?\d)", case.claim):
        new = {"at least": "at most", "at most": "at least", "up to": "more than", "over": "under", "under": "over"}[m.group()]
        found.append((m.start(), m.end(), new))
    for start, end, new in shuffled(case.rng, found):
        old = case.lower[start:end]
        before = case.lower[max(0, start - 6):start]
        if case.negated(start) or re.search(r"\b(?:once|and|what|even|or|any|much|one) $", before) or new in case.lower.split():
            continue
        if old in ("over", "under") or not case.stays_true(new, old):
            return case.result(start, end, match_case(case.claim[start:end], new), "contradicted" if old in case.premise.lower else "not_supported", "comparison")
    return None
