"""Edits of negation, quantifiers, hedges, temporal order and causality."""

from __future__ import annotations

import re

from .change import Case, Change, pick, shuffled
from .premise import match_case

AUX = r"(?:is|are|was|were|will|would|can|could|should|must|has|have|had|did|does|do)"
PARTIAL = re.compile(r"\b(?:some|many|most|several|few|one of|two of|all|every|each|both|a number of|either|only|just|%|percent|"
                     r"any|no|not|never|neither|nor|hardly|rarely|if|whether|unless|without|nobody|nothing|none|little|than|half)\b|n['’]t|%")
NOT_NEGATABLE = re.compile(r" (?:only|just|both|also|not|still|already|never|no|some|more|most|often|usually|sometimes|either|n['’]t|"
                      r"about|at least|because|due|all|one of|an? (?:lot|few)|in order|so|probably|likely|possibly|mostly|mainly)\b")


def insert_negation(case: Case) -> Change | None:
    """Inserts "not" after the first auxiliary, or "did not" before the verb of a simple subject."""
    claim = case.claim
    m = re.search(r"\b(There) (is|are|was|were) (a|an|some|many|several)\b", claim)
    if m:
        new = m[1] + " " + m[2] + " no"
        return case.result(m.start(), m.end(), new, "contradicted", "negation inserted")
    for m in re.finditer(r"(?<![\w-])%s(?![\w'’-])" % AUX, claim):
        before, after, word = claim[: m.start()], claim[m.end():], m.group()
        if PARTIAL.search(before.lower()) or not before.strip() or NOT_NEGATABLE.match(after) or not re.match(r" [a-z\d]", after) or before.rstrip()[-1:] in ",;:":
            return None
        nextword = re.match(r" ([a-z]+)", after)
        tags = {t for _, t in case.lexicon.forms.get(nextword[1] if nextword else "", ())}
        if word in ("has", "have", "had") and "part" not in tags and (nextword and nextword[1] not in ("been", "to")):
            return None
        if word in ("has", "have", "had") and nextword and nextword[1] == "to":
            return None
        if word in ("did", "does", "do", "will", "would", "can", "could", "should", "must") and "base" not in tags and (not nextword or nextword[1] not in ("be", "have", "do")):
            return None
        if re.search(r"\b(?:as|than|to|how|what|why|as much as \w+)$", before.rstrip().lower()):
            return None
        new = "cannot" if word == "can" else word + case.rng.choice((" not", " not", " not", "n't", " never" if word in ("was", "were", "has", "have", "had") else " not"))
        return case.result(m.start(), m.end(), new.replace("willn't", "won't"), "contradicted", "negation inserted")
    m = re.match(r"((?:In \d{4}, )?(?:He|She|It|They|We|he|she|it|they|(?:The|This|Our) [a-z]+|[A-Z][\w.]+(?: [A-Z][\w.]+){0,2})) ([a-z]+)\b(?! by\b)", claim)
    if m and m[1] not in ("There", "What", "Then", "The", "In", "This"):
        for lemma, tag in case.lexicon.forms.get(m[2], ()):
            plural = m[1].split()[-1] in ("They", "We", "they")
            name = m[1][0].isupper() and not m[1].startswith(("The ", "This ", "Our "))
            if tag == "past" or tag == "s" and not plural and (name or m[1].startswith(("This ", "The "))) or tag == "base" and plural:
                if PARTIAL.search(m[1].lower()) or NOT_NEGATABLE.match(claim[m.end():]) or re.search(r"s$", m[1].split()[-1]) and tag == "s":
                    return None
                if tag != "base" and not name and tag == "past" and lemma not in ("propose", "show", "present", "find", "suggest", "win", "become", "begin", "receive"):
                    return None
                does = {"past": "did", "s": "does", "base": "do"}[tag]
                return case.result(m.start(2), m.end(2), f"{does} not {lemma}", "contradicted", "negation inserted")
    return None


def remove_negation(case: Case) -> Change | None:
    """Removes a negation. The span is the verb phrase that it negated."""
    claim, lex = case.claim, case.lexicon
    for old, new in (("unable to", "able to"), ("no longer", "still"), ("failed to", "managed to"), ("fails to", "manages to"),
                     ("fail to", "manage to"), ("without", "with"), ("no significant", "a significant"), ("has not yet", "has already"),
                     ("have not yet", "have already"), ("no one", "everyone"), ("nobody", "everybody"), ("cannot", "can"),
                     ("not all", "all"), ("never", "always")):
        m = re.search(r"\b%s\b" % old, claim, re.I)
        if m and not re.search(r"\b(?:any|not %s)\b" % old, claim) and not (old == "without" and re.match(r" \w+ing\b", claim[m.end():])):
            if old == "no significant" and re.match(r" \w+s\b", claim[m.end():]):
                new = "significant"
            if old == "never" and re.search(r"(?:was|were|has|have|had|is|are|been) $", claim[: m.start()]):
                continue
            return case.result(m.start(), m.end(), match_case(m.group(), new), "contradicted", "negation removed")
    if re.search(r"\b(?:any|anyone|anything|yet|until|but|either|nor|neither|only|ever|anymore|at all|rather|necessarily|because|much)\b", claim):
        return None
    m = re.search(r"(?<![\w])(%s)(?: not|n['’]t)((?: (?:be|been|have|yet|been able))?) ([a-z]+)" % AUX, claim)
    if m:
        aux, mid, nextword = m.groups()
        if aux in ("did", "does", "do"):
            if mid or not any(t == "base" for _, t in lex.forms.get(nextword, ())) and nextword not in ("have", "be", "do"):
                return None
            new = lex.verb(nextword, {"did": "past", "does": "s", "do": "base"}[aux])
        else:
            new = aux + mid + " " + nextword
        return case.result(m.start(), m.end(), new, "contradicted", "negation removed")
    m = re.search(r"\b[Nn]o (?=[a-z]{3,})(?!more|less|doubt|matter|one|other)", claim)
    if m and claim[: m.start()].count(" ") <= 8:
        return case.result(m.start(), m.end() - 1, match_case(m.group(), "some"), "contradicted", "negation removed")
    return None


QUANTIFIERS = [  # pattern, replacement, pattern that must not match the premise
    (r"[Ss]ome(?= (?!of\b|other|time|point|kind|sort|day)[a-z]+s\b| of the\b)", "all", r"\ball\b"),
    (r"(?:[Mm]any|[Ss]everal)(?= (?!times|years|months|days|weeks|hours)[a-z]+s\b| of the\b)", "all", r"\b(?:all|every)\b"),
    (r"[Mm]ost(?= (?:people|of the|of them|patients|children|countries|users|students|women|men)\b)", "all", r"\ball\b"),
    (r"[Mm]ost(?= (?:people|of the|of them|patients|children|countries|users|students|women|men)\b)", "few", r"\bfew\b"),
    (r"(?:almost|nearly|virtually) (?=all\b|every\b)", "", r"^$"),
    (r"a few(?= [a-z]+s\b)", "most", r"\bmost\b"),
    (r"[Aa]ll(?= (?:of )?(?:the|its|their|his|her|these|those) [a-z]+s?\b| [a-z]{3,}s\b)(?! others)", "few", r"\b(?:few|except)\b"),
    (r"[Ee]very(?= (?!day|time|year|other)[a-z]+)", "hardly any", r"\bexcept\b"),
    (r"(?:often|usually|typically|generally|sometimes|frequently|commonly)(?! [,;]| called| known| referred| used)", "always", r"\balways\b"),
    (r"(?:rarely|seldom|occasionally)", "often", r"\boften\b"),
    (r"(?:partly|partially)", "entirely", r"\b(?:entire|full|complete)ly\b"),
    (r"(?:mainly|mostly|primarily|largely|predominantly)", "exclusively", r"\b(?:only|exclusively|solely)\b"),
    (r"[Bb]oth(?= [A-Za-z]+ and)", "neither", r"\bneither\b"),
    (r"(?:completely|entirely|fully)", "only partly", r"\bpart"),
    (r"(?<=used )(?=to |in |for )", "only", r"\b(?:only|exclusively|solely)\b"),
    (r"(?<=found )(?=in )", "only", r"\b(?:only|exclusively|solely)\b"),
    (r"(?<=available )(?=in |on |for |at )", "only", r"\b(?:only|exclusively|solely)\b"),
]
HEDGES = [
    (r"(?:may|might|could)(?= (?:also )?(?:be|have|lead|cause|help|reduce|improve|increase|result|contribute|play|provide|affect|explain|not|occur|become|serve|need)\b)", "will"),
    (r"suggests(?= that)", "proves"), (r"suggested(?= that)", "proved"), (r"suggest(?= that)", "prove"),
    (r"likely to", "certain to"), (r"(?:possibly|probably|perhaps|potentially|likely)(?! to\b)", "definitely"),
    (r"(?:seems|appears) to be", "is"), (r"(?:seem|appear) to be", "are"), (r"(?:seemed|appeared) to be", "was"),
    (r"(?:believed|thought|alleged|considered|rumoured|supposed|reputed|said) to (?=be|have)", "proven to "),
    (r"tends to (?=be\b)", "must always "), (r"tend to (?=[a-z])", "always "),
    (r"(?:is|are|was|were) (?:strongly |significantly |independently |closely )?(?:associated|correlated|linked) with", "causes"),
    (r"(?:plans|intends|hopes|wants) to(?! be\b| know\b)", "has already begun to"), (r"(?:planned|intended|hoped|tried|attempted) to", "managed to"),
    (r"can(?= (?:cause|lead|help|improve|reduce|increase|result|affect|prevent)\b)", "always will"),
    (r"(?:about|approximately|around|roughly|nearly|almost)(?= [$€£]?\d)", "exactly"),
    (r"(?:could|may|might) (?=be )", "will "), (r"should(?= be)", "must"), (r"potential (?=[a-z])", "proven "),
]
ANY_HEDGE = re.compile(r"\b(?:may|might|could|can|possibl[ey]|probabl[ey]|perhaps|potential(?:ly)?|likely|suggest\w*|seem\w*|appear\w*|"
                       r"believed|thought|alleged\w*|tend\w*|associat\w*|correlat\w*|link\w*|relat\w*|plan\w*|inten\w*|hop\w*|want\w*|tr(?:y|ied)|"
                       r"attempt\w*|about|approximately|around|roughly|nearly|almost|should|consider\w*|said|would)\b|~")


def quantifier(case: Case) -> Change | None:
    """Changes a quantifier: some to all, mainly to exclusively, all to few."""
    for old, new, forbidden in shuffled(case.rng, QUANTIFIERS):
        m = re.search(r"(?<![\w-])" + old, case.claim)
        if not m or case.negated(m.start()) or re.search(forbidden, case.premise.lower):
            continue
        if new == "":
            rest = re.match(r"(\w+)", case.claim[m.end():])
            return case.result(m.start(), m.end() + rest.end(), rest[1], "not_supported", "quantifier")
        if m.group() == "":
            change = case.result(m.start(), m.end(), new + " ", "not_supported", "quantifier")
            return Change(change.text, [(change.spans[0][0], change.spans[0][1] - 1)], change.label, change.kind)
        if new == "neither":
            also = re.match(r" [A-Za-z]+ and", case.claim[m.end():])
            text = case.claim[: m.start()] + match_case(m.group(), "neither") + also.group()[:-3] + "nor" + case.claim[m.end() + also.end():]
            end = m.start() + len("neither") + also.end()
            return Change(text, [(m.start(), m.start() + 7), (end - 3, end)], "contradicted", "quantifier")
        label = "contradicted" if new in ("few", "hardly any", "often") else "not_supported"
        return case.result(m.start(), m.end(), match_case(m.group(), new), label, "quantifier")
    return None


def hedge(case: Case) -> Change | None:
    """Removes a hedge or turns an association into a cause, if the premise is hedged too."""
    if not ANY_HEDGE.search(case.premise.lower):
        return None
    for old, new in shuffled(case.rng, HEDGES):
        m = re.search(r"(?<![\w-])" + old, case.claim)
        if not m or case.negated(m.start()) or new.strip() in case.premise.words:
            continue
        if new == "causes":
            new = {"is": "causes", "are": "cause", "was": "caused", "were": "caused"}[m.group().split()[0]]
        end = m.end()
        if new.endswith(" "):
            end, new = end - 1, new[:-1]
        if new == "was" and re.search(r"(?:they|we|s) $", case.lower[: m.start()]):
            new = "were"
        return case.result(m.start(), end, match_case(m.group(), new), "not_supported", "hedge")
    return None


def order(case: Case) -> Change | None:
    """Swaps before and after."""
    found = []
    for m in re.finditer(r"\b(?:before|after|prior to|followed by|preceded by|since|until)\b", case.claim, re.I):
        word = m.group().lower()
        if re.search(r"\b(?:named|look\w*|sought|ever|t[ao]k\w*|ask\w*|run|one|day|soon|model+ed|inquir\w*|called|year|week|never|not|only|long|ever|tak\w+|seen) $", case.lower[: m.start()]) \
                or word == "since" and not re.match(r" \d", case.claim[m.end():]) or word == "until" and not re.match(r" \d{4}", case.claim[m.end():]) \
                or re.match(r"(?! [\w$\"“])| (?:which|all|that)\b", case.claim[m.end():]) or case.negated(m.start()):
            continue
        found.append((m, {"before": "after", "after": "before", "prior to": "after", "followed by": "preceded by",
                          "preceded by": "followed by", "since": "until", "until": "since"}[word]))
    spot = pick(case.rng, found)
    if not spot or spot[1] in case.lower:
        return None
    m, new = spot
    return case.result(m.start(), m.end(), match_case(m.group(), new), "contradicted", "order")


CAUSES = [("leads to", "results from"), ("lead to", "result from"), ("led to", "resulted from"), ("results in", "results from"),
          ("result in", "result from"), ("resulted in", "resulted from"), ("because of", "in spite of"), ("because", "although"),
          ("due to", "in spite of"), ("causes", "is caused by"), ("is caused by", "causes"), ("are caused by", "cause"),
          ("was caused by", "caused"), ("were caused by", "caused"), ("despite", "because of"), ("although", "because"),
          ("in spite of", "because of"), ("depends on", "determines"), ("depend on", "determine"), ("resulting in", "resulting from"),
          ("leading to", "resulting from"), ("derived from", "used to make"), ("based on", "used as the basis of")]


def cause(case: Case) -> Change | None:
    """Swaps cause and effect, or turns a cause into a concession."""
    found = []
    for old, new in CAUSES:
        for m in re.finditer(r"(?<![\w-])%s\b" % old, case.claim, re.I):
            before, after = case.lower[: m.start()], case.claim[m.end():]
            if old == "because" and after.startswith(" of") or old in ("lead to", "result in") and re.search(
                    r"\b(?:to|not) $", before) or old == "result in" and re.search(r"\b(?:a|the|of) $", before):
                continue
            if old == "causes" and not re.match(r" (?:the|a|an|[a-z]+)\b", after) or old == "causes" and re.search(r"(?:the|its|of|other|and|common|main|two|three|possible) $", before):
                continue
            if old == "causes" and re.match(r" (?:of|and|for|\w+ \w+ to)\b", after) or old == "due to" and re.match(r" (?:be|start|have|open|\w+e)\b", after) or case.negated(m.start()):
                continue
            if old == "based on" and not re.search(r"\b(?:is|are|was|were) (?:\w+ )?$", before):
                continue
            if old in ("leads to", "led to", "results in", "resulted in", "based on", "derived from") and re.search(r"\bto \w+$", after[:30]) and "ing" in after[:24]:
                continue
            found.append((m, new))
    spot = pick(case.rng, found)
    if not spot:
        return None
    m, new = spot
    return case.result(m.start(), m.end(), match_case(m.group(), new), "not_supported", "cause")
