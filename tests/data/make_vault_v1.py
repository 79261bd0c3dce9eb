"""Makes tests/data/vault-v1, a vault of schema 1 as that schema's fernvault wrote it, and what it must show for ever.

Run once, from the repository's root, by the fernvault whose schema is 1; never again once a second schema exists:
``python tests/data/make_vault_v1.py``. The passphrase and the cheap key derivation are for tests only.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parents[1] / "sync")]

from fernvault.catalog.catalog import catalog_of  # noqa: E402
from fernvault.instant import DAY, to_text  # noqa: E402
from fernvault.memory import Vault  # noqa: E402
from fernvault.rule import PAPER  # noqa: E402
from fernvault.vault import creation, schema  # noqa: E402
from fernvault.vault.kdf import Kdf  # noqa: E402
from fernvault.vault.layout import VaultFolder  # noqa: E402
from fernvault_sync.operations import perform  # noqa: E402

PASSPHRASE = "stapler Quokka 7 lemonade"
START = 20_454 * DAY  # 2026-01-01T00:00Z
READ = START + 100 * DAY
HOUR = DAY // 24

CATALOG = {
    "kinds": {"buy": 1.0, "reorder": 1.5, "return": -1.0},
    "context": {"time_of_day": True, "weekend": True},
    "rules": {"oat *": ["pref:oat-milk"], "tea": ["pref:tea"]},
}
ITEMS = [("oat 1l", ["brand:meadow"]), ("tea", ["brand:leaf"]), ("cheese", ["pref:cheese"])]


def shop_events() -> list[dict[str, Any]]:
    """Twenty events: weekly oat milk, tea once, cheese that came back, and attributes given by the shop."""
    weekly = [
        {"id": f"oat-{week}", "at": START + 7 * week * DAY + 8 * HOUR, "kind": "reorder", "item": "oat 1l"}
        for week in range(14)
    ]
    return [
        *weekly,
        {"id": "tea-1", "at": READ - 45 * DAY, "kind": "buy", "item": "tea"},
        {"id": "cheese-1", "at": START + 10 * DAY, "kind": "buy", "item": "cheese", "quantity": 2},
        {"id": "cheese-2", "at": START + 12 * DAY, "kind": "return", "item": "cheese", "value": 4.5},
        {"id": "given-1", "at": START + 80 * DAY, "kind": "buy", "attributes": ["pref:organic", "fact:vegan"]},
        {"id": "given-2", "at": START + 20 * DAY, "kind": "click", "attributes": ["pref:organic"]},
        {"id": "given-3", "at": START + 90 * DAY, "kind": "dislike", "attributes": ["pref:plastic"]},
    ]


def travel_events() -> list[dict[str, Any]]:
    """Ten events under the published rule."""
    seats = [
        {"id": "seat-1", "at": READ - 20 * DAY, "kind": "book", "attributes": ["pref:window-seat"]},
        {"id": "seat-2", "at": READ - 10 * DAY, "kind": "book", "attributes": ["pref:window-seat"]},
    ]
    trips = [
        {"id": f"trip-{n}", "at": START + 12 * n * DAY, "kind": "book", "quantity": n, "attributes": ["pref:rail"]}
        for n in range(1, 9)
    ]
    return seats + trips


def main() -> None:
    """Write the folder and the values beside it."""
    if schema.VERSION != 1:
        raise SystemExit("this fernvault writes another schema")
    path = HERE / "vault-v1"
    shutil.rmtree(path, ignore_errors=True)
    creation.create_vault(
        VaultFolder(path), PASSPHRASE, kdf=Kdf(64, 1, 1), allow_weak_kdf=True, zone="Europe/Berlin", now=START
    )
    with Vault.open(path, PASSPHRASE, clock=lambda: READ) as vault:
        vault.add_surface("shop.example", catalog=catalog_of(CATALOG), items=ITEMS)
        vault.add_surface("travel.example", rule=PAPER)
        for surface, events in (("shop.example", shop_events()), ("travel.example", travel_events())):
            answers = perform(vault, "record", {"surface": surface, "events": events, "source": "make_vault_v1"})
            if any(answer["status"] != "recorded" for answer in answers):
                raise SystemExit(str(answers))
        shop = vault.surface("shop.example")
        shop.correct("set", "fact:gluten-free", 7.5)
        shop.correct("pin", "pref:organic")
        shop.correct("forget", "brand:meadow")
        shop.correct("forget", "pref:tea")
        vault.undo()
        expected = {"at": to_text(READ), "surfaces": {}}
        for name in ("shop.example", "travel.example"):
            edges = perform(vault, "ls", {"surface": name})
            card = perform(vault, "card", {"surface": name})
            # What it costs depends on which tokenizer is installed.
            del card["tokens"], card["tokenizer"]
            expected["surfaces"][name] = {
                "card": card,
                "ls": edges,
                "why": [perform(vault, "why", {"surface": name, "attribute": edge["attribute"]}) for edge in edges],
            }
        if vault.doctor():
            raise SystemExit("not whole")
    text = json.dumps(expected, indent=1, ensure_ascii=False)
    (HERE / "vault-v1.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
