"""Count the single cases of a meson test log and repeat the failed ones: count.py testlog.json"""
import json
import sys

passed = failed = skipped = 0
for line in open(sys.argv[1], encoding="utf-8"):
    test = json.loads(line)
    output = test.get("stdout", "").splitlines()
    failures = 0
    for i, text in enumerate(output):
        if text.startswith("not ok"):
            failures += 1
            print(f"{test['name']}: {text}")
            for detail in output[i + 1:i + 25]:
                if not detail.startswith("#"):
                    break
                print("    " + detail[1:])
        elif text.startswith("ok"):
            if "# SKIP" in text:
                skipped += 1
            else:
                passed += 1
    if failures == 0 and test["result"] not in ("OK", "SKIP"):
        failures = 1
        print(f"{test['name']}: {test['result']}")
        for detail in (output + test.get("stderr", "").splitlines())[-25:]:
            print("    " + detail)
    failed += failures
print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
sys.exit(1 if failed else 0)
