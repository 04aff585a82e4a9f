"""The Python package against the program and the header: run by tests/run_python.sh with orrery on the PATH."""

import base64
import ctypes
import doctest
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import xml.dom.minidom
import zipfile

import orrery
from orrery import _notebook as notebook
from orrery import _library

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STEP = {"tp": 8, "pp": 8, "vpp": 3, "micro_batch": 1, "global_batch": 64, "engine": "megatron-lm-2022"}


def program(*arguments: str) -> str:
    return subprocess.run(["orrery", *arguments], check=False, capture_output=True, text=True).stdout


class Header(unittest.TestCase):
    """What _library.py repeats of include/orrery.h."""

    header = "".join(path.read_text() for path in
                     [ROOT / "include/orrery.h", *sorted((ROOT / "include/orrery").glob("*.h"))])

    def test_constants(self):
        for name, value in [("ERROR_TEXT", _library.ERROR_TEXT), ("MAX_COLUMNS", _library.MAX_COLUMNS),
                            ("SWEEP_VALUE", _library.SWEEP_VALUE)]:
            self.assertEqual(int(re.search(rf"#define ORR_{name} (\d+)", self.header)[1]), value)

    def names(self, macro):
        block = re.search(rf"#define {macro}\(X\)(.*?)\n\n", self.header, re.S)[1]
        return tuple(re.findall(r'X\(\w+, "([^"]+)"', block))

    def test_enums(self):
        self.assertEqual(self.names("ORR_SWEEP_MODES"), _library.MODES)
        self.assertEqual(self.names("ORR_POINT_STATUSES"), _library.STATUSES)
        formats = re.findall(r"ORR_FORMAT_(\w+)", re.search(r"enum orr_format \{(.*?)\};", self.header, re.S)[1])
        self.assertEqual(tuple(name.lower().replace("_", "-") for name in formats), _library.FORMATS)
        parts = re.search(r"enum orr_part \{(.*?)ORR_N_PARTS", self.header, re.S)[1]
        self.assertEqual(len(re.findall(r"ORR_PART_\w+", parts)), _library.N_PARTS)

    def test_structures(self):
        """A member added to a structure of the header is missed here."""
        for name, mine in [("error", _library.CError), ("style", _library.Style), ("column", _library.CColumn),
                           ("sweep_row", _library.Row)]:
            body = re.search(rf"struct orr_{name} \{{(.*?)\n\}};", self.header, re.S)[1]
            body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
            self.assertEqual(body.count(";") + body.count(","), len(mine._fields_), name)

    def test_only_the_stable_core_is_used(self):
        core = self.header[:self.header.index("#ifdef ORR_EXPERIMENTAL")]
        declared = set(re.findall(r"\b(orr_\w+)\(", core))
        self.assertGreater(len(_library._FUNCTIONS), 15)
        self.assertEqual(set(_library._FUNCTIONS) - declared, set())

    def test_documented_errors(self):
        self.assertEqual(ctypes.sizeof(_library.CError), 3 * 4 + 256 + 128 + _library.ERROR_TEXT)


class Serving(unittest.TestCase):
    TRAFFIC = {"rate_per_s": 10, "input_len": "800:1200", "output_len": "200~0.5", "requests": 1500}
    LOAD = ("--rate", "10/s", "--input", "800:1200", "--output", "200~0.5", "--engine", "vllm", "--model", "llama3-8b",
            "--system", "h100-sxm", "--json")

    def expect(self, result, *arguments):
        expected = json.loads(program(*arguments, *self.LOAD))
        for answer in (result, expected):
            answer.pop("simulated_requests_per_s", None)
        self.assertEqual(result, expected)

    def test_serving(self):
        run = orrery.serving("llama3-8b", "h100-sxm", traffic=self.TRAFFIC, engine="vllm", slo=["ttft_s.p99<=1 s"])
        self.expect(run, "serving", "--requests", "1500", "--slo", "ttft_s.p99<=1 s")
        self.assertTrue(run["slo_met"] and run["complete"])
        form = orrery.serving("llama3-8b", "h100-sxm", traffic=self.TRAFFIC, engine="vllm", closed_form=True)
        self.assertLess(abs(form["tpot_s"]["mean"] / run["tpot_s"]["mean"] - 1), 0.05)

    def test_pools(self):
        run = orrery.serving("llama3-8b", "h100-sxm", gpus=1, traffic=self.TRAFFIC, engine="vllm", disaggregated=True,
                             deployment={"pools": [{"role": "decode", "tp": 2}]})
        self.expect(run, "serving", "--requests", "1500", "--gpus", "1", "--disaggregated", "--pool", "decode,tp=2")
        self.assertEqual([pool["role"] for pool in run["pools"]], ["prefill", "decode"])
        with self.assertRaises(orrery.Error) as caught:
            orrery.serving("llama3-8b", "h100-sxm", traffic=self.TRAFFIC, deployment={"pools": ["decode"]})
        self.assertEqual(caught.exception.key, "deployment.pools")

    def test_size(self):
        traffic = {key: value for key, value in self.TRAFFIC.items() if key != "requests"}
        limits = ["ttft_s.p99<=1 s", "tpot_s.p95<=30 ms"]
        sized = orrery.size("llama3-8b", ["h100-sxm"], traffic=traffic, slo=limits, engine="vllm", budget=4, tp="1,2")
        self.expect(sized, "size", "--slo", limits[0], "--slo", limits[1], "--budget", "4", "--tp", "1,2")
        self.assertTrue(sized["found"] and sized["best"]["gpus"] <= 4)
        miss = orrery.size("llama3-8b", "h100-sxm", traffic=traffic, slo=["tpot_s.p50<=1 ms"], engine="vllm", budget=2)
        self.assertFalse(miss["found"])
        self.assertGreater(miss["nearest"]["worst_frac"], 1)


class Train(unittest.TestCase):
    def setUp(self):
        self.result = orrery.train("gpt3-175b", "a100-80g-sxm", gpus=64, **STEP)

    def test_numbers_are_those_of_the_program(self):
        text = program("train", "--model", "gpt3-175b", "--system", "a100-80g-sxm", "--gpus", "64", "--tp", "8", "--pp",
                       "8", "--vpp", "3", "--micro-batch", "1", "--global-batch", "64", "--engine", "megatron-lm-2022",
                       "--json")
        expected = json.loads(text)
        self.assertEqual(self.result.to_dict(), expected)
        for key in self.result:
            value = expected
            for part in key.split("."):
                value = value[int(part)] if isinstance(value, list) else value[part]
            self.assertEqual(self.result[key], value, key)

    def test_attributes(self):
        self.assertEqual(self.result.step_time_s, self.result["step_time_s"])
        self.assertAlmostEqual(sum(self.result.time_s.values()), self.result.step_time_s, places=9)
        low, high = self.result.interval_s
        self.assertTrue(low < self.result.step_time_s < high)
        self.assertIn("step_time_s", dir(self.result))
        self.assertIs(self.result.fits, True)
        with self.assertRaises(AttributeError):
            self.result.no_such_number

    def test_texts(self):
        self.assertIn("step time", self.result.report())
        self.assertIn("Eq. 1", self.result.explain())
        self.assertIn("traceEvents", json.loads(self.result.report("trace")))
        self.assertTrue(self.result.report("html").startswith("<!DOCTYPE html>"))
        page = self.result._repr_html_()
        self.assertIn("step_time_s", page)
        self.assertIn("Time of a step", page)
        self.assertIn(notebook.with_unit("step_time_s", self.result.step_time_s), page)

    def test_units_by_the_end_of_a_name(self):
        cases = {("step_time_s", 0.0123): "12.3 ms", ("step_time_s", 90.0): "1.5 min", ("tokens_per_s", 2.5e6):
                 "2.5 M tokens/s", ("memory_bytes.total", 3 * 2**30): "3 GiB", ("mfu_frac", 0.425): "42.5 %",
                 ("energy_j", 2000.0): "2 kJ", ("cost_usd", 1234.5): "$1,234", ("fits", True): "yes", ("gpus", 1024): "1,024"}
        for (name, value), text in cases.items():
            self.assertEqual(notebook.with_unit(name, value), text)

    def test_bars_of_parts_add_up(self):
        bar = notebook.parts_bar("Parts", "time_s", {"forward": 1.0, "backward": 3.0, "none": 0.0})
        self.assertIn("width:75.000%", bar)
        self.assertIn("backward 3 s (75.0 %)", bar)
        self.assertNotIn("none", bar)
        self.assertEqual(notebook.parts_bar("Parts", "time_s", {}), "")
        self.assertIn("width:50.00%", notebook.rows_chart("step_time_s", ["a", "b"], [1.0, 2.0]))
        with self.assertRaises(ValueError):
            self.result.report("picture")

    def test_keys_of_a_plan(self):
        plan = self.result.to_dict()["request"]["plan"]
        self.assertEqual(set(plan) - orrery.PLAN, set())
        sharded = orrery.train("llama2-7b", "h100-sxm", gpus=8, zero=3, zero_secondary=4)
        self.assertEqual(sharded.to_dict()["request"]["plan"]["zero_secondary"], 4)

    def test_what_does_not_fit_says_why(self):
        result = orrery.train("gpt3-175b", "a100-80g-sxm", gpus=8, tp=8, global_batch=8)
        self.assertFalse(result.fits)
        self.assertIn("too much per GPU", result.reason)
        self.assertIn(result.reason.split(";")[0], repr(result))

    def test_objects_in_place(self):
        model = json.loads((ROOT / "data/models/llama2-7b.json").read_text())
        a = orrery.train(model, "h100-sxm", gpus=8, global_batch=8, zero=1)
        b = orrery.train("llama2-7b", "h100-sxm", gpus=8, global_batch=8, zero=1)
        self.assertEqual(a.step_time_s, b.step_time_s)

    def test_paths_and_numbers_of_other_packages(self):
        class Number:  # as numpy.int64 is to json: unknown
            def item(self):
                return 8

        plain = orrery.train("llama3-8b", "h100-sxm", gpus=8, zero=1)
        given = orrery.train(ROOT / "data/models/llama3-8b.json", "h100-sxm", gpus=Number(), zero=1)
        self.assertEqual(given.step_time_s, plain.step_time_s)

    def test_set(self):
        faster = orrery.train("gpt3-175b", "a100-80g-sxm", gpus=64, set={"chip.hbm_bytes_per_s": "4 TB/s"}, **STEP)
        self.assertLess(faster.step_time_s, self.result.step_time_s)


class Infer(unittest.TestCase):
    def test_numbers_are_those_of_the_program(self):
        result = orrery.infer("llama2-70b", "h100-sxm", tp=8, input_len=200, output_len=200)
        text = program("infer", "--model", "llama2-70b", "--system", "h100-sxm", "--tp", "8", "--input", "200",
                       "--output", "200", "--json")
        self.assertEqual(result.to_dict(), json.loads(text))
        self.assertEqual(result.latency_s, json.loads(text)["latency_s"])


class Errors(unittest.TestCase):
    def test_located(self):
        with self.assertRaises(orrery.Error) as caught:
            orrery.train("gpt3-175b", "a100-80g-sxm", tp=7)
        self.assertEqual(caught.exception.key, "plan.tp")
        self.assertTrue(str(caught.exception).startswith("request:1: plan.tp"), str(caught.exception))

    def test_nearest(self):
        with self.assertRaisesRegex(orrery.Error, 'did you mean "gpt3-175b"'):
            orrery.train("gpt3-175", "a100-80g-sxm")

    def test_what_json_cannot_write_is_located(self):
        for fields, key, word in [({"tp": float("nan")}, "plan.tp", "float"),
                                  ({"seq": object()}, "workload.seq", "object"),
                                  ({"set": {"chip.tdp_w": float("inf")}}, "set.chip.tdp_w", "float")]:
            with self.assertRaises(orrery.Error) as caught:
                orrery.train("llama2-7b", "h100-sxm", gpus=8, **fields)
            self.assertEqual(caught.exception.key, key)
            self.assertIn(word, str(caught.exception))

    def test_still_works_after_one(self):
        self.test_located()
        self.assertTrue(orrery.train("llama2-7b", "h100-sxm", gpus=8, global_batch=8, zero=1).fits)

    def test_bad_directory(self):
        with self.assertRaises(orrery.Error):
            orrery.Catalogue(["/no/such/directory"])


class Many(unittest.TestCase):
    def test_search(self):
        found = orrery.search("train", "llama2-7b", "h100-sxm", gpus=8, global_batch=16, top=3,
                              limits=["memory_bytes.total<=70e9"])
        self.assertEqual(len(found.best), 3)
        self.assertEqual(found.best["step_time_s"], sorted(found.best["step_time_s"]))
        self.assertTrue(all(total <= 70e9 for total in found.best["memory_bytes.total"]))
        again = orrery.train("llama2-7b", "h100-sxm", gpus=8, **{
            key: value for key, value in {**found["best"][0]["plan"], **found["best"][0]["workload"]}.items()})
        self.assertEqual(again.step_time_s, found["best"][0]["step_time_s"])
        self.assertIn('<script type="application/json" id="data">', found.html)
        with self.assertRaises(orrery.Error):
            orrery.search("train", "llama2-7b", "h100-sxm", gpus=8, objective="beauty")
        split = orrery.search("infer", "llama3-8b", "h100-sxm", gpus=8, input_len=512, output_len=64,
                              disaggregated=True, batch=1, top=3)
        self.assertEqual(split.best["gpus"], [8, 8, 8])

    def test_search_lets_other_threads_run(self):
        """With the lock held, the counter would stand still while the search runs."""
        counts, stop = [0], threading.Event()

        def count():
            while not stop.is_set():
                counts[0] += 1
                time.sleep(0.0005)

        thread = threading.Thread(target=count)
        thread.start()
        before = counts[0]
        orrery.search("train", "gpt3-175b", "h100-sxm", gpus=512, global_batch=1536)
        during = counts[0] - before
        stop.set()
        thread.join()
        self.assertGreater(during, 5)

    INTERRUPTED = """
import signal, threading, time
import orrery
main, sent = threading.main_thread().ident, []
def interrupt():
    time.sleep(0.2)
    sent.append(True)
    signal.pthread_kill(main, signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
try:
    %s
except KeyboardInterrupt:
    assert sent and orrery.train("llama2-7b", "h100-sxm", gpus=8).step_time_s > 0
    print("interrupted")
"""

    def test_interrupted(self):
        """Each of these would take hours."""
        for call in ('orrery.search("train", "deepseek-v3", "h800-sxm", gpus="8..16384", seq=4096, global_batch=61440, '
                     'precision="fp8_block", options={"brute": True, "overlap": True})',
                     'orrery.sweep("train", "gpt3-175b", "h100-sxm", gpus=64, vary={"chip.tdp_w": "100:900"}, '
                     'mode="sample", samples=10**9)'):
            done = subprocess.run([sys.executable, "-c", self.INTERRUPTED % call], capture_output=True, text=True,
                                  check=False, timeout=300)
            self.assertEqual((done.stdout, done.stderr), ("interrupted\n", ""))

    def test_sweep(self):
        table = orrery.sweep("train", "llama2-7b", "h100-sxm", gpus=8, global_batch=16, zero=1,
                             vary={"tp": [1, 2, 3], "micro_batch": "1,2"})
        self.assertEqual(table["tp"], [1, 1, 2, 2, 3, 3])
        self.assertEqual(table["status"], ["ok"] * 4 + ["invalid"] * 2)
        one = orrery.train("llama2-7b", "h100-sxm", gpus=8, global_batch=16, zero=1, tp=2, micro_batch=2)
        self.assertEqual(table[3]["step_time_s"], one.step_time_s)
        self.assertIn("<table>", table._repr_html_())
        self.assertEqual(len(orrery.sweep("train", "llama2-7b", "h100-sxm", gpus=8, global_batch=16, mode="sample",
                                          samples=7, vary={"chip.hbm_bytes_per_s": "2e12:4e12"})), 7)

    def test_pandas(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")
        table = orrery.sweep("train", "llama2-7b", "h100-sxm", gpus=8, global_batch=16, vary={"tp": [1, 2]})
        self.assertEqual(list(table.to_pandas()["tp"]), [1, 2])

    def test_threads(self):
        wanted = orrery.train("gpt3-175b", "a100-80g-sxm", gpus=64, **STEP).step_time_s
        other = orrery.infer("llama2-70b", "h100-sxm", tp=8, input_len=200, output_len=200).latency_s
        wrong = []

        def ask():
            for _ in range(20):
                a = orrery.train("gpt3-175b", "a100-80g-sxm", gpus=64, **STEP).step_time_s
                b = orrery.infer("llama2-70b", "h100-sxm", tp=8, input_len=200, output_len=200).latency_s
                if (a, b) != (wanted, other):
                    wrong.append((a, b))

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class Fit(unittest.TestCase):
    """A stack from runs, as the program makes it."""

    RUN = "model=llama2-7b,system=h100-sxm,gpus=8,zero=1,seq=4096,micro_batch=1,global_batch=128:step_time_s=5.6"

    def test_report(self):
        report = orrery.fit([self.RUN], engine="megatron-core-2025")
        wanted = json.loads(program("fit", "--run", self.RUN, "--engine", "megatron-core-2025", "--json"))
        file = report.pop("file")
        self.assertEqual(report, wanted)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "mine.json"
            path.write_text(json.dumps(file))
            step = orrery.train("llama2-7b", "h100-sxm", gpus=8, zero=1, seq=4096, micro_batch=1, global_batch=128,
                                engine=str(path))
        error = wanted["runs"][0]["error_after"]
        self.assertAlmostEqual(step.step_time_s / 5.6 - 1, error, delta=2e-3)

    def test_columns_and_errors(self):
        report = orrery.fit(ROOT / "examples/my-runs.csv", engine="megatron-core-2025", with_={"precision": "bf16"})
        self.assertEqual(report["n_runs"], 5)
        named = orrery.fit(str(ROOT / "examples/my-runs.csv"), engine="megatron-core-2025")
        self.assertEqual(named["n_runs"], 5)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "job.log"  # bytes that are no text stand in logs
            path.write_bytes(b"\xff\xfe\n" + (ROOT / "tests/unit/fixtures/logs/megatron.log").read_bytes())
            log = orrery.fit(path, with_={"model": "llama2-13b", "system": "a100-80g-sxm"}, skip=1)
        self.assertEqual(log["n_runs"], 1)
        with self.assertRaisesRegex(orrery.Error, "did you mean"):
            orrery.fit([self.RUN], engine="megatorn-core-2025")


class Package(unittest.TestCase):
    def test_catalogue(self):
        self.assertIn("gpt3-175b", orrery.catalogue().ids("models"))
        with self.assertRaises(ValueError):
            orrery.catalogue().ids("gods")

    def test_version(self):
        self.assertEqual(program("version").split()[1], orrery.__version__)

    def test_doctest(self):
        self.assertEqual(doctest.testmod(orrery).failed, 0)

    def test_example(self):
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "figure.svg")
            done = subprocess.run([sys.executable, ROOT / "examples/batch_size.py", picture], capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(xml.dom.minidom.parse(picture).getElementsByTagName("circle")), 9)

    def test_wheel(self):
        """It holds package and library, its record is true, and it works from where it is unpacked."""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, ROOT / "python/wheel_backend.py", folder], capture_output=True,
                                  text=True, check=True)
            with zipfile.ZipFile(os.path.join(folder, done.stdout.strip())) as wheel:
                wheel.extractall(folder)
                for line in wheel.read(f"orrery-{orrery.__version__}.dist-info/RECORD").decode().split():
                    name, digest, _ = line.split(",")
                    made = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).decode().rstrip("=")
                    self.assertEqual(digest, f"sha256={made}" if digest else "")
            clean = {key: value for key, value in os.environ.items() if key != "ORRERY_LIBRARY"}
            code = "import orrery; print(orrery._library.lib._name, orrery.__file__)"
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                                  env={**clean, "PYTHONPATH": folder})
            self.assertEqual([path.startswith(folder) for path in done.stdout.split()], [True, True])

    def test_own_catalogue(self):
        self.assertIn("gpt3-175b", orrery.Catalogue([os.fspath(ROOT / "data")]).ids("models"))


if __name__ == "__main__":
    unittest.main()
