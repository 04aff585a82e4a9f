# %% [markdown]
# # What a batch costs its users
#
# Tokens per second of a GPU against tokens per second of a user, Llama-2 70B on eight H100, as the batch grows: the
# figure every serving team draws first. Run it as a script (`python3 examples/batch_size.py [FIGURE.svg]`) or open it as a
# notebook; the figure needs nothing but the package.

# %%
import pathlib
import sys

if "__file__" in globals():  # from the source tree; an installed package needs no path
    sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "python"))
import orrery

BATCHES = [1, 2, 4, 8, 16, 32, 64, 128, 256]

# %% [markdown]
# One call answers all points; a batch that does not fit into memory is a row too, and says why.

# %%
table = orrery.sweep("infer", "llama2-70b", "h100-sxm", gpus=8, tp=8, input_len=1024, output_len=256,
                     engine="tensorrt-llm-nemo", vary={"batch": BATCHES})
points = [(row["output_tokens_per_s_per_user"], row["output_tokens_per_s_per_gpu"], row["batch"])
          for row in table if row["status"] == "ok"]
print("batch  tokens/s of a user  tokens/s of a GPU  bottleneck")
for row in table:
    if row["status"] != "ok":
        print(f"{row['batch']:5}  {row['reason']}")
        continue
    print(f"{row['batch']:5}  {row['output_tokens_per_s_per_user']:18.1f}  {row['output_tokens_per_s_per_gpu']:17.1f}  "
          f"{row['bottleneck']}")

# %% [markdown]
# The figure, as SVG text: a line through the points, the batch beside each.


# %%
def figure(points, width=640, height=400, margin=60):
    """An SVG of GPU throughput over user throughput."""
    right, top = 1.1 * max(x for x, _, _ in points), 1.1 * max(y for _, y, _ in points)
    place = [(margin + (width - 2 * margin) * x / right, height - margin - (height - 2 * margin) * y / top, batch)
             for x, y, batch in points]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in place)
    marks = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"/><text x="{x + 7:.1f}" y="{y - 5:.1f}">{batch}</text>'
                    for x, y, batch in place)
    axes = f'<path d="M{margin} {margin}V{height - margin}H{width - margin}" fill="none" stroke="gray"/>'
    labels = (f'<text x="{width / 2}" y="{height - 20}" text-anchor="middle">tokens/s of a user (to {right:.0f})</text>'
              f'<text transform="translate(24 {height / 2}) rotate(-90)" text-anchor="middle">tokens/s of a GPU '
              f"(to {top:.0f})</text>")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
            f'font-size="12">{axes}<polyline points="{line}" fill="none" stroke="steelblue"/>{marks}{labels}</svg>\n')


if len(sys.argv) == 2 and sys.argv[1].endswith(".svg"):
    pathlib.Path(sys.argv[1]).write_text(figure(points))
