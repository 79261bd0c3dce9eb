"""What a person sees of an answer: plain aligned lines, a record a line, marks that mean the same without colour."""

from __future__ import annotations

from fernvault_cli.output import answer, answer_json, answer_lines, note, painted

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Kept off the short path: `typing` alone costs as long as half a call.
    from collections.abc import Callable, Sequence
    from typing import Any

    from fernvault_cli.options import Options

BAR = 9
EIGHTHS = " ▏▎▍▌▋▊▉"
MARKS = {"known": "●", "guessed": "○"}
SOURCES = {"owner": "set by you", "prior": "others here"}
TRENDS = {"rising": "↗", "steady": "→", "fading": "↘"}


def bar(strength: float) -> str:
    """A strength from 0 to 9 as nine cells, in eighths."""
    eighths = max(0, min(BAR * 8, round(strength * 8)))
    full, rest = divmod(eighths, 8)
    return ("█" * full + (EIGHTHS[rest] if rest else "")).ljust(BAR, "·")


def columns(rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> list[str]:
    """Aligned lines, two spaces between columns, those numbered in ``right`` flush right."""
    if not rows:
        return []
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    return [
        "  ".join(
            cell.rjust(width) if index in right else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def day(time: str | None) -> str:
    """The date of an RFC 3339 time; nothing for none."""
    return "" if time is None else time[:10]


def card_as(form: str) -> Callable[[Any, Options], None]:
    """What prints a card in the asked-for form."""

    def show(document: Any, options: Options) -> None:
        if form == "json" or options.json:
            answer_json({key: value for key, value in document.items() if key != "print"})
        elif form == "markdown":
            answer(document["print"])
        elif document["text"]:
            answer(document["text"])
        else:
            note(_nothing(document), options)

    return show


def _nothing(document: Any) -> str:
    surface, latest, cause = document["surface"], document.get("latest"), document.get("empty")
    if cause == "budget":
        return "not even the strongest entry fits in that many tokens: give a larger --budget"
    if cause == "before":
        return f"nothing was known of {surface} on {day(document['at'])}; its latest event is of {day(latest)}"
    if latest is None:
        return f"nothing is known on {surface} yet: fern import, or fern record --surface {surface}"
    return (
        f"nothing of {surface} is left on {day(document['at'])}: its latest event is of {day(latest)}, and has faded."
        f" fern card {surface} --at {day(latest)} shows the card of then"
    )


def edges_as(*, everything: bool, sort: str, match: str | None, limit: int | None) -> Callable[[Any, Options], None]:
    """What prints the edges that pass the filter, in the asked-for order."""

    def show(document: Any, options: Options) -> None:
        rows = _chosen(document, everything=everything, match=match)
        if sort == "name":
            rows.sort(key=lambda row: row["attribute"].removeprefix("!"))
        elif sort != "strength":
            # A guess has no times: it comes last.
            rows.sort(key=lambda row: (row[sort] is not None, row[sort], row["strength"]), reverse=True)
        rows = rows[:limit]
        if options.json:
            answer_lines(rows)
            return
        lines = columns([_edge_cells(row, options) for row in rows], right=frozenset({2}))
        answer("\n".join(lines))
        hidden = len(document) - len(rows)
        if hidden and not everything:
            note(f"{hidden} more, weak ones and context among them: --all", options)
        elif not rows:
            note("nothing to show", options)

    return show


def _chosen(document: Any, *, everything: bool, match: str | None) -> list[Any]:
    rows = list(document)
    if not everything:
        rows = [row for row in rows if not row["weak"]]
    if match is not None:
        from fnmatch import fnmatchcase

        rows = [row for row in document if fnmatchcase(row["attribute"], match)]
    return rows


def _edge_cells(row: Any, options: Options) -> list[str]:
    return [
        row["attribute"],
        bar(row["strength"]),
        f"{row['strength']:.2f}",
        f"{MARKS[row['mark']]} {row['mark']}",
        f"{TRENDS[row['trend']]} {row['trend']}",
        f"{row['hits']}x",
        day(row["last"]),
        "pinned" if row["pinned"] else SOURCES.get(row["source"], ""),
    ]


def why(document: Any, options: Options) -> None:
    """The sum, line by line."""
    if options.json:
        answer_json(document)
        return
    rows = []
    faded = 0
    entries = sorted(document["events"] + document["corrections"], key=lambda entry: entry["at"])
    for entry in entries:
        if entry["adds"] < 0.0005 and "value" not in entry:
            faded += 1
            continue
        what = f"you {entry['kind']} {entry['value']:g}" if entry["kind"] == "set" else entry["kind"]
        rows.append(
            [entry["at"].replace("T", " "), what, entry["item"] or "", entry["source"], f"+{entry['adds']:.4f}"]
        )
    lines = columns(rows, right=frozenset({4}))
    total = f"{document['sum']:.4f}"
    adding = "1 entry adds" if len(entries) == 1 else f"{len(entries)} entries add"
    label = f"{document['attribute']}: {adding} up to its strength"
    width = max(len(line) for line in [*lines, f"{label}  {total}"])
    lines.append("─" * width)
    lines.append(label + total.rjust(width - len(label)))
    if faded:
        lines.append(f"({faded} of them have faded to less than 0.0005 each, or lie before something forgotten or set)")
    if document["prior"]:
        lines.append(f"the prior adds {document['prior']:.4f} to where it stands: {document['standing']:.4f}")
    answer("\n".join(lines))


def preview(document: Any, options: Options) -> None:
    """The card now and then, and what happens in between."""
    if options.json:
        answer_json(document)
        return
    now, then = document["now"], document["then"]
    rows = [
        [f"now, {day(now['at'])}", now["text"] or "(nothing)"],
        [f"in {document['days']} days", then["text"] or "(nothing)"],
    ]
    lines = columns(rows)
    for change in document["changes"]:
        parts = [f"{name} leaves" for name in change["leaves"]] + [f"{name} enters" for name in change["enters"]]
        lines.append(f"  day {change['day']}: {', '.join(parts)}")
    before = {entry["attribute"]: entry for entry in now["entries"]}
    moved = [
        f"  {entry['attribute']} is {entry['mark']} then, {before[entry['attribute']]['mark']} now"
        for entry in then["entries"]
        if entry["attribute"] in before and before[entry["attribute"]]["mark"] != entry["mark"]
    ]
    answer("\n".join([*lines, *moved, *([] if document["changes"] or moved else ["  the same entries throughout"])]))


def correction(document: Any, options: Options) -> None:
    """What was changed, and that it can be taken back."""
    if options.json:
        answer_json(document)
        return
    done = {"set": "set", "pin": "pinned", "unpin": "unpinned", "forget": "forgot"}[document["correction"]]
    change = f"{document['before']:.2f} → {document['strength']:.2f}"
    answer(f"{done} {document['attribute']}  {change}")
    note("fern undo takes it back", options)


def undo(document: Any, options: Options) -> None:
    """What was taken back."""
    if options.json:
        answer_json(document)
        return
    what = document["what"] if document["what"] != "events" else f"{document['undone']} events"
    answer(f"took back {what} of {document['surface']}")
    note("fern redo puts it back", options)


def redo(document: Any, options: Options) -> None:
    """What was put back."""
    if options.json:
        answer_json(document)
        return
    count = document["redone"]
    answer(f"put back {count} {'entry' if count == 1 else 'entries'} of {document['surface']}")


def status(document: Any, options: Options) -> None:
    """The vault and both lock clocks."""
    if options.json:
        answer_json(document)
        return
    rows = [["vault", document["vault"]], ["state", document["state"]]]
    if document.get("locks_in"):
        idle, maximum = document["locks_in"]["idle"], document["locks_in"]["max"]
        rows.append(["locks in", f"{clock(idle)} (idle) / {clock(maximum)} (max)"])
    if document.get("surfaces") is not None:
        rows += [["surfaces", str(document["surfaces"])], ["events", str(document["events"])]]
        rows += [["schema", str(document["schema"])], ["zone", document["zone"]]]
    lines = columns([[painted(name, "2", options), value] for name, value in rows])
    answer("\n".join(lines))
    for warning in document.get("warnings", []):
        note(f"warning: {warning}", options)


def unlocked_already(document: Any, options: Options) -> None:
    """That there was nothing to do, and the state."""
    note("it is unlocked already", options)
    status(document, options)


def clock(seconds: float) -> str:
    """A span in hours and minutes, or seconds when that is all there is."""
    minutes = round(seconds / 60)
    if seconds < 60:
        return f"{round(seconds)} s"
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"


def surfaces(document: Any, options: Options) -> None:
    """One surface a line."""
    if options.json:
        answer_lines(document)
        return
    rows = [[row["surface"], f"{row['events']} events", f"{row['attributes']} attributes"] for row in document]
    answer("\n".join(columns(rows, right=frozenset({1, 2}))))
    if not rows:
        note("no surfaces yet: fern surface add shop.example", options)


def surface(document: Any, options: Options) -> None:
    """All of one surface."""
    if options.json:
        answer_json(document)
        return
    rule = document["rule"]
    rows = [
        ["surface", document["surface"]],
        ["added", day(document["added"])],
        ["events", str(document["events"])],
        ["attributes", str(document["attributes"])],
        ["catalog", f"{document['items']} items" if document["catalog"] is not None else "none"],
        ["rule", rule["name"]],
        ["half-lives", ", ".join(f"{days:.4g}" for days in rule["half_lives"]) + " days"],
    ]
    answer("\n".join(columns(rows)))


def tuning(document: Any, options: Options) -> None:
    """What was found, before and after."""
    if options.json:
        answer_json(document)
        return
    surface = document["surface"]
    if not document["days"]:
        note(f"{surface} has too little history: the latest fifth of its days must be ten days or more", options)
        return
    for name, value in document["changes"].items():
        answer(f"{name}: {_parameter(document['now'][name])} → {_parameter(value)}")
    before, after = document["before"], document["after"]
    measured = f"of what happened on the last {document['days']} days a card would have held"
    if document["changes"]:
        answer(f"{measured} {after:.1%}, {before:.1%} as it is")
    else:
        answer(f"{measured} {before:.1%}; nothing that was tried does better on both halves of them")


def _parameter(value: Any) -> str:
    return ", ".join(f"{one:g}" for one in value) if isinstance(value, list) else f"{value:g}"


def tuned(document: Any, options: Options) -> None:
    """That they are used from now on."""
    if not options.json:
        answer(f"{document['surface']} uses them from now on")
        note("fern undo takes it back", options)


def priors(document: Any, options: Options) -> None:
    """One surface a line, with what its prior is."""
    if options.json:
        answer_lines(document)
        return
    answer("\n".join(columns([[row["surface"], _prior(row)] for row in document])))
    if not document:
        note("no surfaces yet: fern surface add shop.example", options)


def prior(document: Any, options: Options) -> None:
    """One surface's prior."""
    if options.json:
        answer_json(document)
    else:
        answer(f"{document['surface']}: {_prior(document)}")


def _prior(row: Any) -> str:
    if row["users"] is None:
        return "no prior"
    whose = f"the mean of {row['users']:,} people over {row['attributes']:,} attributes"
    return f"{whose}, worth {row['kappa']:.2f} of a strength each, adopted {day(row['adopted'])}"


def surface_added(document: Any, options: Options) -> None:
    """That it is there, and what to do next."""
    if options.json:
        answer_json(document)
        return
    items = f" with {document['items']} items" if document["catalog"] is not None else ""
    answer(f"added {document['surface']}{items}")
    note(f"fern import csv FILE --surface {document['surface']} brings in history", options)


def surface_removed(document: Any, options: Options) -> None:
    """That it is gone, and what may still hold copies."""
    if options.json:
        answer_json(document)
        return
    answer(f"deleted {document['surface']}: {document['deleted']} events")
    note("backups, exports and snapshots made earlier still hold it", options)


def export_to(to: str) -> Callable[[Any, Options], None]:
    """What prints the counts of an export and where it is."""

    def show(document: Any, options: Options) -> None:
        if options.json:
            answer_json(document)
            return
        files = document["files"].items()
        counts = ", ".join(f"{found['rows']:,} {name.removesuffix('.jsonl')}" for name, found in files)
        answer(f"exported {counts} to {to}")
        note("it is not encrypted", options)

    return show


def doctor(document: Any, options: Options) -> int:
    """What is wrong, one finding a line; exit code 5 if anything is."""
    if options.json:
        answer_json(document)
    else:
        for finding in document["findings"]:
            answer(f"{finding['kind']}: {finding['detail']}")
        for warning in document["warnings"]:
            note(f"warning: {warning}", options)
        if not document["findings"]:
            answer(f"all is well: {document['events']} events, every edge equals its journal")
    return 5 if document["findings"] else 0


def locked(document: Any, options: Options) -> None:
    """That it is locked."""
    if options.json:
        answer_json(document)
    else:
        answer("locked; the process that held the key has ended")
