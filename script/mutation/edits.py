"""Reads C++ sources as text and makes the edits that break them: see script/mutate."""
import re
from dataclasses import dataclass


@dataclass
class Mutant:
    set_name: str
    file: str
    function: str
    kind: str
    start: int
    end: int
    new: str
    line: int = 0
    before: str = ""
    after: str = ""
    verdict: str = ""


# ---- reading the sources ----

def masked(text):
    """The text with comments, strings and preprocessor lines blanked, of the same length."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![\w])\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#[^\n]*',
                         re.S | re.M)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def closing(mask, at):
    """Index of the bracket that closes the one at `at`."""
    pairs = {"(": ")", "{": "}", "[": "]"}
    depth = 0
    for i in range(at, len(mask)):
        if mask[i] in pairs:
            depth += 1
        elif mask[i] in pairs.values():
            depth -= 1
            if depth == 0:
                return i
    return len(mask) - 1


def functions(mask, start=0, end=None):
    """(name, begin, end) of each function or class body outside of any other, namespaces entered."""
    end = len(mask) if end is None else end
    at = head = start
    while at < end:
        if mask[at] == ";":
            head = at + 1
        elif mask[at] == "(":
            at = closing(mask, at)
        elif mask[at] == "{":
            close = closing(mask, at)
            declaration = mask[head:at]
            if re.search(r"\bnamespace\b", declaration):
                yield from functions(mask, at + 1, close)
            elif match := re.search(r"\b(?:struct|class)\s+(\w+)", declaration):
                yield match[1], at + 1, close
            elif match := re.search(r"(~?\w+|operator\W+)\s*\((?!\s*\*)", declaration):
                yield match[1], at + 1, close
            at = head = close
            head += 1
        at += 1


def arguments(mask, opening):
    """(begin, end) of each argument between the bracket at `opening` and its partner."""
    close, depth, begin, found = closing(mask, opening), 0, opening + 1, []
    for i in range(opening + 1, close):
        if mask[i] in "([{":
            depth += 1
        elif mask[i] in ")]}":
            depth -= 1
        elif mask[i] == "," and depth == 0:
            found.append((begin, i))
            begin = i + 1
    found.append((begin, close))
    return [(b + len(mask[b:e]) - len(mask[b:e].lstrip()), b + len(mask[b:e].rstrip())) for b, e in found]


def kernel_siblings(root):
    """Kernel -> the next one of the same type in core/kernels/kernels.hpp."""
    table = root / "core/kernels/kernels.hpp"
    groups = {}
    if table.exists():
        mask = masked(table.read_text(encoding="utf-8"))
        for match in re.finditer(r"^\s+(\w+Kernel) ((?:\w+,\s*)*\w+);", mask, re.M):
            groups.setdefault(match[1], []).extend(re.split(r",\s*", match[2]))
        for match in re.finditer(r"\(\*(\w+)\)\(([^)]*)\)", mask):
            types = re.sub(r"\s+\w+(,|$)", r"\1", re.sub(r"\s+", " ", match[2]))
            groups.setdefault(types, []).append(match[1])
    siblings = {}
    for names in groups.values():
        for i, name in enumerate(names):
            others = [names[(i + step) % len(names)] for step in (1, 2) if len(names) > step]
            siblings[name] = [other for other in others if other != name]
    return siblings


# ---- making mutants ----

SWAPS = {"sum_to": [], "bag_sum": ["bag_mean"], "bag_mean": ["bag_sum"], "scatter_bag_sum": ["scatter_bag_mean"],
         "scatter_bag_mean": ["scatter_bag_sum"], "max": ["min"], "min": ["max"], "mul_or_zero": ["div_or_zero"],
         "true": ["false"], "false": ["true"]}
OPERAND = r"(?:[\w.]|->|::)+(?:\([^()]*\)|\[[^\[\]]*\])*|\((?:[^()]|\([^()]*\))*\)"
TWICE = "[](const Tensor& dy) {{ return numbers::scale(dy, Real({})); }}"


def similar(a, b):
    """Whether two arguments may change places: different, short, and of one sort."""
    if a == b or any(not x or len(x) > 60 or re.search(r";|\b(?:const|auto)\b|^\w[\w:]*[*&]? \w+$|^Wrt\b", x) for x in (a, b)):
        return False
    sorts = r"true|false|!.*|transposed?\w*", r"kernels\(\).*", r"\w+::\w+"
    return all(bool(re.fullmatch(sort, a)) == bool(re.fullmatch(sort, b)) for sort in sorts)


def edits(text, mask, begin, end, siblings, scalars):
    """(kind, start, end, replacement) for each change within mask[begin:end]. With `scalars` it computes
    with plain numbers, else with tensors."""
    body = mask[begin:end]

    def twice(value):
        if scalars:
            return f"Real(2) * ({value})"
        return f"numbers::scale({'*' * value.isidentifier()}{value}, Real(2))"

    def each(pattern, flags=0):
        for match in re.finditer(pattern, body, flags):
            yield match, begin + match.start(), begin + match.end()

    def part(match, group):
        return begin + match.start(group), begin + match.end(group)

    # Binary operators stand between spaces; a unary minus touches its operand.
    for match, _, _ in each(r"(?<=[\w)\]]) ([-+*/])(=?) (?=\S)"):
        other = {"+": "-", "-": "+", "*": "/", "/": "*"}[match[1]]
        yield "sign" if match[1] in "+-" else "factor", *part(match, 1), other
    for match, start, stop in each(r"(?<=[\w)\]]) [*/] (?:%s)" % OPERAND):
        yield "factor", start, stop, ""
    for match, start, stop in each(r"(?<=[\w)\]]) [-+] (?:%s)" % OPERAND):
        yield "term", start, stop, ""
    for match, start, stop in each(r"(?<![\w)\]] )(?<![-\w)\]])-(?=[\w(.])(?!>)"):
        yield "sign", start, stop, ""
    # The whole of a returned or shared value, doubled; an answer turned round.
    for match, _, _ in each(r"\breturn ([^;{}]+);"):
        expression = text[slice(*part(match, 1))]
        if re.search(r" (?:<=?|>=?|==|!=|&&|\|\|) ", match[1]) and "?" not in match[1]:
            yield "flag", *part(match, 1), f"!({expression})"
        elif not re.match(r"record|true$|false$|nullptr$|\{\}$", expression):
            yield "factor", *part(match, 1), twice(expression)
    for match, start, stop in each(r"\b(?:share|record)\("):
        places = arguments(mask, stop - 1)
        value = places[0] if match[0].startswith("share") else places[min(1, len(places) - 1)]
        yield "factor", *value, twice(text[slice(*value)])
    for match, start, stop in each(r"\bpass_on\b"):
        yield "sign", start, stop, TWICE.format(-1)
        yield "factor", start, stop, TWICE.format(2)
    # Flags, operands, branches.
    for match, start, stop in each(r"!(?=[a-z(])"):
        yield "flag", start, stop, ""
    for match, _, stop in each(r"\b(\w+) \? "):
        yield "flag", *part(match, 1), f"!{match[1]}"
    for match, start, stop in each(r"\{([^{},]*data\(\)[^{},]*, [^{},]+)\}"):
        yield "transpose", start, stop, "{" + text[slice(*part(match, 1))] + ", true}"
    for match, start, stop in each(r"\b(\w*)[({](?=[^)}\s])"):
        if match[1] in ("record", "record_joint", "Wrt", "for", "if", "check", "min", "max"):
            continue  # what has no order of its own, or no other
        places = arguments(mask, stop - 1)
        if re.fullmatch(r"kernels\(\)\.(add|mul)", text[slice(*places[0])]):
            continue  # a + b = b + a
        for i, left in enumerate(places):
            # The nearest argument behind it that may stand in its place.
            for right in places[i + 1:i + 3]:
                a, b = text[slice(*left)], text[slice(*right)]
                if similar(a, b):
                    yield "operands", left[0], right[1], b + text[left[1]:right[0]] + a
                    break
    # Bounds and constants.
    for match, start, stop in each(r" (<=?|>=?|==|!=|&&|\|\|) "):
        other = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&"}[match[1]]
        yield "bound", *part(match, 1), other
    for match, start, stop in each(r"(?<![\w.])(\d+)(?![\w.])"):
        yield "constant", start, stop, str(int(match[1]) + 1)
    for match, start, stop in each(r"(?<![\w.])(\d+\.\d+)(?![\w.])"):
        yield "constant", start, stop, str(float(match[1]) + 1)
    # One name for another.
    for match, start, stop in each(r"kernels\(\)\.(\w+)"):
        for other in siblings.get(match[1], []):
            yield "kernel", *part(match, 1), other
    for match, start, stop in each(r"\b(\w+)\b"):
        for other in SWAPS.get(match[1], []):
            yield "name", start, stop, other
    lines = list(each(r"^ *table\.(\w+) = ([^;]+);", re.M))
    for (match, _, _), (following, _, _) in zip(lines, lines[1:] + lines[:1]):
        if match[2] != following[2]:
            yield "kernel", *part(match, 2), text[slice(*part(following, 2))]
    # A statement that is left out.
    for match, start, stop in each(r"^ +((?!return|const|using|if|for|else|check)[\w.>:()\[\]*-]+(?:\([^;{}]*\)| [-+*/]?= [^;{}]+);)$", re.M):
        yield "statement", *part(match, 1), ";"


def mutants_of(root, set_name, path, siblings, scalars):
    text = (root / path).read_text(encoding="utf-8")
    mask = masked(text)
    seen = set()
    # What only guards against bad arguments is the business of other tests.
    quiet = [(m.start(), closing(mask, m.end() - 1)) for m in re.finditer(r"\bcheck\w*(?:<\w+>)?\(", mask)]
    for name, begin, end in functions(mask):
        for kind, start, stop, new in edits(text, mask, begin, end, siblings, scalars):
            if text[start:stop] == new or any(a <= start <= b for a, b in quiet):
                continue
            mutated = text[:start] + new + text[stop:]
            if mutated in seen:
                continue
            seen.add(mutated)
            first = text.rfind("\n", 0, start) + 1
            last = text.find("\n", stop)
            yield Mutant(set_name, path, name, kind, start, stop, new, text.count("\n", 0, start) + 1,
                         text[first:last].strip(), (text[first:start] + new + text[stop:last]).strip())


def rounds(mutants, size):
    """The mutants of one function in rounds of `size`, each taking kinds in turn: a round tries a bit of all."""
    kinds = {}
    for mutant in mutants:
        kinds.setdefault(mutant.kind, []).append(mutant)
    ordered = []
    while any(kinds.values()):
        ordered += [group.pop(len(group) // 2) for group in kinds.values() if group]
    return [sorted(ordered[i:i + size], key=lambda m: m.start) for i in range(0, len(ordered), size)]
