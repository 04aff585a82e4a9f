#!/usr/bin/env python3
"""Could intervals learnt from the rows be narrower than those of `orrery validate --unseen`? unseen_learned.py [FOLDER]

Boosted trees learn the 10, 50 and 90 % quantiles of the logarithm of measured over predicted time from what a row says
of its run, from its class and from the ends of its own interval. Each tenth of the sources is predicted from the other
nine, so that no source teaches itself. Printed are means over sources: the share held, the width in logarithms, the
interval score of docs/trust.md, and the share held when all are stretched alike to a mean width of 0.60. Needs Debian's
python3-pandas and python3-sklearn; the measurements are those of FOLDER (validation/ beside this file), and orrery is
taken from the PATH."""
import glob
import io
import os
import subprocess
import sys

import numpy
import pandas
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.model_selection import GroupKFold

FOLDER = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "validation")
SIZES = ("gpus tp pp dp ep batch concurrency input_len output_len rate_per_s seq micro_batch global_batch requests "
         "zero").split()
WORDS = {"class": 100, "metric": 100, "precision": 100, "arrival": 100, "family": 60, "system": 100} # with so many rows


def predicted_rows():
    """Rows with an interval, in logarithms of measured over predicted time: y, and the ends low and high."""
    text = subprocess.run(["orrery", "validate", "--unseen", "--csv"], capture_output=True, text=True, check=True).stdout
    rows = pandas.read_csv(io.StringIO(text))
    rows = rows[rows.skipped.isna() & (rows.low > 0)].copy()
    rate = rows.metric.str.contains("per_s|tflops")
    rows["y"] = numpy.log(rows.measured / rows.predicted) * numpy.where(rate, -1, 1)
    rows["low"], rows["high"] = numpy.log(rows.low), numpy.log(rows.high)
    rows["family"] = rows.engine.str.extract(r"^([a-z.]+(?:-[a-z]+)*)")[0]
    return rows


def add_columns_of_files(rows):
    files = [pandas.read_csv(path, low_memory=False) for path in glob.glob(os.path.join(FOLDER, "*.csv"))]
    given = pandas.concat([file for file in files if "id" in file]).drop_duplicates("id").set_index("id")
    for column in SIZES + ["precision", "arrival"]:
        rows[column] = rows.id.map(given[column])


def features(rows):
    columns = {name: numpy.log1p(pandas.to_numeric(rows[name], errors="coerce")).fillna(-1) for name in SIZES}
    columns.update(predicted=numpy.log(rows.predicted), low=rows.low, high=rows.high)
    for word, least in WORDS.items():
        counts = rows[word].fillna("").value_counts()
        columns.update({f"{word} {value}": (rows[word] == value).astype(int) for value in counts[counts > least].index})
    return pandas.DataFrame(columns)


def learnt(rows, columns, quantile):
    weight = 1 / rows.source.map(rows.source.value_counts())
    out = numpy.zeros(len(rows))
    for known, left_out in GroupKFold(10).split(columns, rows.y, rows.source):
        trees = GradientBoostingRegressor(loss="quantile", alpha=quantile, n_estimators=80, max_depth=3, learning_rate=0.05,
                                          subsample=0.5, min_samples_leaf=30, random_state=0)
        trees.fit(columns.iloc[known], rows.y.iloc[known].clip(-2, 2), sample_weight=1000 * weight.iloc[known])
        out[left_out] = trees.predict(columns.iloc[left_out])
    return pandas.Series(out, rows.index)


def mean(rows, values):
    return values.groupby(rows.source).mean().mean()


def show(name, rows, low, high):
    outside = (low - rows.y).clip(lower=0) + (rows.y - high).clip(lower=0)
    held, width = mean(rows, (outside == 0).astype(float)), mean(rows, high - low)
    middle, half = (low + high) / 2, (high - low) / 2 * 0.60 / width
    stretched = mean(rows, ((rows.y - middle).abs() <= half).astype(float))
    score = width + 10 * mean(rows, outside)
    print(f"  {name:26}{100 * held:8.1f} {width:7.2f} {score:7.3f} {100 * stretched:8.1f}")


def main():
    rows = predicted_rows()
    add_columns_of_files(rows)
    columns = features(rows)
    low, middle, high = (learnt(rows, columns, quantile) for quantile in (0.1, 0.5, 0.9))
    print(f"{'':28}in 80 %   width   score  at 0.60")
    show("as they are", rows, rows.low, rows.high)
    show("learnt", rows, low, high)
    show("half-way", rows, (rows.low + low) / 2, (rows.high + high) / 2)
    show("moved by the learnt median", rows, rows.low + middle / 2, rows.high + middle / 2)


if __name__ == "__main__":
    main()
