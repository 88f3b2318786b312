"""Prints what memory artifacts need for the values between their kernels, against the most that are in use at one time,
which no plan can go below.

python tools/arena_share.py ARTIFACT ...
"""

import json
import sys

from programs import SUNMAO, run


def main() -> None:
    worst = 0.0
    for artifact in sys.argv[1:]:
        for function in json.loads(run(SUNMAO, "inspect", artifact, "--json"))["functions"]:
            memory = function.get("memory")
            if not memory or not memory["live"]:
                continue
            share = memory["arena"] / memory["live"]
            worst = max(worst, share)
            print(f"{artifact} {function['name']}: {memory['arena']:,} bytes, {share:.3f} of what is in use")
    if not worst:
        sys.exit("no function has sizes with a limit and values between kernels")
    print(f"most: {worst:.3f}")


main()
