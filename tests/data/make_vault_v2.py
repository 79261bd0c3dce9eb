"""Makes tests/data/vault-v2, a vault of schema 2 as that schema's fernvault wrote it, and what it must show for ever.

Run once, from the repository's root, by the fernvault whose schema is 2; never again once a third schema exists:
``python tests/data/make_vault_v2.py``. The events are those of vault-v1; new are a prior, a tuning, and contexts.
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
from fernvault.instant import to_text  # noqa: E402
from fernvault.memory import Vault  # noqa: E402
from fernvault.prior import Prior  # noqa: E402
from fernvault.rule import PAPER  # noqa: E402
from fernvault.vault import creation, schema  # noqa: E402
from fernvault.vault.kdf import Kdf  # noqa: E402
from fernvault.vault.layout import VaultFolder  # noqa: E402
from fernvault_sync.operations import perform  # noqa: E402
from tests.data.make_vault_v1 import (  # noqa: E402
    CATALOG,
    ITEMS,
    PASSPHRASE,
    READ,
    START,
    shop_events,
    travel_events,
)

EXCLUSIVE = {"exclusive": {"drink": ["pref:tea", "pref:oat-milk"]}}
MEANS = {"pref:oat-milk": 0.5, "pref:rye-bread": 2.0, "!pref:plastic": 0.25}
ASKED: dict[str, list[dict[str, Any]]] = {
    "shop.example": [{}, {"context": ["morning"]}, {"context": ["pref:organic"]}],
    "travel.example": [{}],
}


def main() -> None:
    """Write the folder and the values beside it."""
    if schema.VERSION != 2:
        raise SystemExit("this fernvault writes another schema")
    path = HERE / "vault-v2"
    shutil.rmtree(path, ignore_errors=True)
    creation.create_vault(
        VaultFolder(path), PASSPHRASE, kdf=Kdf(64, 1, 1), allow_weak_kdf=True, zone="Europe/Berlin", now=START
    )
    with Vault.open(path, PASSPHRASE, clock=lambda: READ) as vault:
        catalog = catalog_of({**CATALOG, **EXCLUSIVE})
        vault.add_surface("shop.example", catalog=catalog, items=ITEMS)
        vault.add_surface("travel.example", rule=PAPER)
        for surface, events in (("shop.example", shop_events()), ("travel.example", travel_events())):
            perform(vault, "record", {"surface": surface, "events": events, "source": "make_vault_v2"})
        vault.surface("shop.example").adopt(Prior("shop.example", 40, MEANS))
        vault.surface("travel.example").tune({"alpha": 3.0})
        expected = {
            "at": to_text(READ),
            "cards": {
                name: [
                    {
                        "asked": asked,
                        "entries": perform(vault, "card", {"surface": name, **asked})["entries"],
                    }
                    for asked in each
                ]
                for name, each in ASKED.items()
            },
        }
        if vault.doctor():
            raise SystemExit("not whole")
    text = json.dumps(expected, indent=1, ensure_ascii=False)
    (HERE / "vault-v2.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
