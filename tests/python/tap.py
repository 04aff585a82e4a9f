"""Run the tests of this folder, one line of TAP each: tap.py"""

import pathlib
import sys
import unittest


class Tap(unittest.TestResult):
    n = 0

    def line(self, word, test, note="", trace=""):
        self.n += 1
        print(f"{word} {self.n} - {test.id()}{note}")
        for line in trace.splitlines():
            print("#", line)

    def addSuccess(self, test):
        self.line("ok", test)

    def addSkip(self, test, reason):
        self.line("ok", test, f" # SKIP {reason}")

    def addFailure(self, test, err):
        self.line("not ok", test, trace=self._exc_info_to_string(err, test))

    addError = addFailure


tap = Tap()
unittest.defaultTestLoader.discover(str(pathlib.Path(__file__).parent)).run(tap)
print(f"1..{tap.n}")
sys.stdout.flush()
