"""Prints how many models pass in each form, from the outcomes of the last run of test_zoo.py.

python tests/differential/zoo_report.py [--json] [--reasons]
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from typing import Any

from export_files import FORMS
from outcome import KINDS
from zoo_table import noted, stale


def summary() -> dict[str, Any]:
    """Returns counts of outcomes by form, and the models by form and outcome other than a pass."""
    results = noted()
    forms: dict[str, dict[str, Any]] = {}
    for form in FORMS:
        counts = Counter(r[form].kind for r in results.values() if form in r)
        of = sum(counts[kind] for kind in KINDS)
        share = round(counts["pass"] / of, 4) if of else 0.0
        forms[form] = {"passed": counts["pass"], "of": of, "share": share, "outcomes": dict(sorted(counts.items()))}
    passed, of = (sum(f[key] for f in forms.values()) for key in ("passed", "of"))
    total = {"passed": passed, "of": of, "share": round(passed / of, 4) if of else 0.0}
    others = {
        f"{name}.{form}": {"outcome": o.kind, "detail": o.detail}
        for name, row in results.items()
        for form, o in row.items()
        if o.kind != "pass"
    }
    return {"forms": forms, "total": total, "stale": stale(), "others": others}


def reasons(others: dict[str, dict[str, str]]) -> Counter[str]:
    """Returns in how many models each op, or else each message, stands in the way."""
    found: Counter[str] = Counter()
    for row in others.values():
        if row["outcome"] == "refused":
            ops = set(re.findall(r"\|\s+`([^`]+)`: \d+ time", row["detail"]))
            found.update(ops or {row["detail"].splitlines()[0][:140]})
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Prints how many models pass in each form.")
    parser.add_argument("--json", action="store_true", help="everything, as JSON")
    parser.add_argument("--reasons", action="store_true", help="what refusals are about, and what else went wrong")
    options = parser.parse_args()
    found = summary()
    if options.json:
        print(json.dumps(found, indent=1))
        return
    for form, row in [*found["forms"].items(), ("total", found["total"])]:
        rest = ", ".join(f"{n} {kind}" for kind, n in row.get("outcomes", {}).items() if kind != "pass")
        print(f"{form:8} {row['passed']:4} of {row['of']:4}  {row['share']:6.1%}  {rest}")
    if found["stale"]:
        print(f"{found['stale']} outcomes are of another build and left out")
    if options.reasons:
        for name, row in found["others"].items():
            if row["outcome"] not in ("refused", "skipped"):
                print(f"{name}: {row['outcome']}: {row['detail'][:300]}")
        for reason, count in reasons(found["others"]).most_common(60):
            print(f"{count:5} {reason}")


if __name__ == "__main__":
    main()
