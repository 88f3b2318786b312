"""Rewrites zoo_expected.toml from the outcomes of the last run of test_zoo.py. Review what changes.

A model that gives wrong results, fails, hangs or crashes is not accepted: it keeps its row.
"""

from __future__ import annotations

import sys

from zoo_table import noted, read_table, stale, write_table


def main() -> None:
    table = read_table()
    if old := stale():
        print(f"{old} outcomes are of another build and left out: run test_zoo.py for them", file=sys.stderr)
    for name, forms in noted().items():
        for form, outcome in forms.items():
            row = table.setdefault(name, {})
            if outcome.kind == "skipped":
                row.pop(form, None)
            elif outcome.kind not in ("pass", "refused"):
                print(
                    f"{name}.{form} is {outcome.kind}, which is not accepted: {outcome.detail[:200]}", file=sys.stderr
                )
            elif row.get(form) != outcome.kind:
                print(f"{name}.{form}: {row.get(form, 'new')} -> {outcome.kind}")
                row[form] = outcome.kind
    write_table({name: forms for name, forms in table.items() if forms})


if __name__ == "__main__":
    main()
