"""The crawler in the plane: cost by tolerance and by number of links, agreement with a tighter run, and its pictures.

    python bench/crawler.py                      cost of driving forward, and how a step grows with the links
    python bench/crawler.py --tighter            position against a run with a tolerance ten times smaller
    python bench/crawler.py --profiles           how bump, trough, ramp and sine of several sizes shake the seat
    python bench/crawler.py --pictures           assembly, rest, forward and reverse: a figure in docs/images

One core (nothing here uses more), after compiling; the least of several repeats, because the machine's noise only adds.
"""

from __future__ import annotations

import argparse
import io
import time
from collections.abc import Sequence
from pathlib import Path

import matplotlib.image
import numpy as np
from matplotlib.figure import Figure

from grouser.catalog.crawler.build import make_crawler
from grouser.catalog.crawler.spec import Crawler
from grouser.catalog.scenarios import apply_scenario, load_scenario
from grouser.catalog.vehicles import load_vehicle
from grouser.compile.state import copy_state
from grouser.integrators.solvers import make_integrator
from grouser.output.plots import save_figure
from grouser.output.side_view import make_side_view
from grouser.presets import PLANAR_TOLERANCE, find_preset
from grouser.result.result import Result
from grouser.simulate import prepare, settle, simulate

TOLERANCES = (1e-9, 1e-5, PLANAR_TOLERANCE)
DURATION = 4.0
"""Of a run [s]."""
REPEATS = 5
SIZES = (0, 20, 40, 80, 150)
"""Links by which the machine is longer."""
STEPS = 200
PROFILES = ((0.3, 4.0), (0.15, 3.0), (0.15, 2.0), (0.25, 3.0))
"""Heights and lengths [m]."""
SPED_UP = 1.5
"""Time from which the machine has its speed [s]."""
FIGURE = Path(__file__).resolve().parent.parent / "docs" / "images" / "crawler.png"


def load_crawler() -> Crawler:
    """The crawler of the catalog."""
    spec = load_vehicle("crawler")
    assert isinstance(spec, Crawler)
    return spec


def drive(spec: Crawler, scenario: str, start, **options) -> Result:
    """A run from rest."""
    model = apply_scenario(spec, load_scenario(scenario))
    return simulate(model, preset="recursive", initial=start, duration=DURATION, **options)


def measure_costs(spec: Crawler) -> None:
    """Real-time factors of driving forward, writing results included."""
    start = settle(make_crawler(spec), preset="recursive")
    cases = {f"adams {tolerance:g}": {"integrator": "adams", "tolerance": tolerance} for tolerance in TOLERANCES}
    cases |= {integrator: {"integrator": integrator} for integrator in ("trapezoidal", "leapfrog")}
    for name, options in cases.items():
        least = np.inf
        for _ in range(REPEATS):
            summary = drive(spec, "crawl-forward", start, **options).summary
            least = min(least, summary["real_time_factor"])
        micro = 1e6 * least * DURATION / summary["evaluations"]
        order = f"mean order {summary['mean_order']:.2f}" if summary["mean_order"] else ""
        print(
            f"{name:14s} real-time factor {least:.3f}   {summary['steps']} steps, {summary['rejected_steps']} "
            f"rejected, {summary['evaluations']} evaluations of {micro:.1f} us   {order}"
        )


def make_long(spec: Crawler, links: int) -> Crawler:
    """The crawler with an undercarriage that carries so many links more."""
    longer = 0.5 * links * spec.links.pitch
    x, z = spec.idler.centre
    first = spec.rollers[0]
    spacing = first.centre[0] - spec.rollers[1].centre[0]
    added = [
        {"centre": (first.centre[0] + spacing * i, first.centre[1]), "radius": first.radius}
        for i in range(int(longer / spacing), 0, -1)
    ]
    rollers = [*added, *(dict(roller) for roller in spec.rollers)]
    return spec.with_changes(
        idler={"centre": (x + longer, z)}, rollers=rollers, links={"count": spec.links.count + links}
    )


def measure_growth(spec: Crawler) -> None:
    """Time of a step of the trapezoidal rule, and the exponent of its growth."""
    counts, times = [], []
    for links in SIZES:
        compiled, _ = prepare(make_crawler(make_long(spec, links)), find_preset("recursive"))
        solver = make_integrator(compiled, "recursive", "trapezoidal")
        least = np.inf
        for _ in range(REPEATS + 1):
            state = copy_state(compiled.initial)
            began = time.perf_counter()
            solver.advance(state, STEPS, 1e-4)
            least = min(least, (time.perf_counter() - began) / STEPS)
        counts.append(spec.links.count + links)
        times.append(least)
        print(f"{counts[-1]:4d} links   {1e6 * least:6.1f} us a step")
    exponent = np.polyfit(np.log(counts), np.log(times), 1)[0]
    print(f"cost grows as links^{exponent:.2f}")


def compare_tighter(spec: Crawler) -> None:
    """Runs against one at 1e-10; at 1e-11 rounding in the contacts is larger than what is asked for."""
    start = settle(make_crawler(spec), preset="recursive")
    runs = [drive(spec, "crawl-forward", start, integrator="adams", tolerance=t) for t in (1e-10, 1e-9, 1e-5, 1e-3)]
    reference = runs[0]["superstructure.position"]
    for run, tolerance in zip(runs[1:], (1e-9, 1e-5, 1e-3), strict=True):
        off = np.linalg.norm(run["superstructure.position"] - reference, axis=1).max()
        print(f"adams {tolerance:g}: largest distance of the machine from the run at 1e-10 {off:.2e} m")


def compare_profiles(spec: Crawler) -> None:
    """Largest relative displacement of the seat, largest acceleration and its RMS, once the machine has its speed."""
    start = settle(make_crawler(spec), preset="recursive")
    for height, length in PROFILES:
        for kind in ("bump", "trough", "ramp", "sine"):
            scenario = load_scenario(f"crawl-{kind}")
            sized = scenario.terrain.model_copy(update={"height": height, "length": length})
            model = apply_scenario(spec, scenario.model_copy(update={"terrain": sized}))
            options = {"integrator": "adams", "tolerance": 1e-4, "output_interval": 0.005}
            result = simulate(model, preset="recursive", initial=start, duration=scenario.duration, **options)
            late = result.time > SPED_UP
            seat, acceleration = result["suspension.coordinate"], result["seat_acceleration.value.z"][late]
            print(
                f"{height:g} m, {length:g} m {kind:6s} {1e3 * np.abs(seat[late] - seat[0]).max():5.1f} mm   "
                f"{np.abs(acceleration).max():.2f}, {acceleration.std():.2f} m/s^2   "
                f"real-time factor {result.summary['real_time_factor']:.2f}"
            )


def draw_pictures(spec: Crawler) -> None:
    """Four side views in a figure."""
    model = make_crawler(spec)
    laid = simulate(model, preset="recursive", settle=False, duration=1e-3, step=1e-4, output_interval=1e-3)
    start = settle(model, preset="recursive")
    rest = simulate(model, preset="recursive", initial=start, duration=0.01)
    forward, reverse = (drive(spec, name, start) for name in ("crawl-forward", "crawl-reverse"))
    views = {
        "assembly: laid round the wheels, touching nothing": (laid, 0.0),
        "settled, sprocket held": (rest, 0.01),
        "forward, 3 s": (forward, 3.0),
        "reverse, 3 s": (reverse, 3.0),
    }
    figure = Figure(figsize=(12.0, 5.6), layout="constrained")
    for ax, (title, (result, at)) in zip(figure.subplots(2, 2).flat, views.items(), strict=True):
        buffer = io.BytesIO()
        make_side_view(result, at).savefig(buffer, format="png", dpi=110)
        buffer.seek(0)
        ax.imshow(matplotlib.image.imread(buffer))
        ax.set_title(title, fontsize=10)
        ax.axis("off")
    save_figure(figure, FIGURE)
    print(f"wrote {FIGURE.name}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tighter", action="store_true", help="compare with a tighter run")
    parser.add_argument("--profiles", action="store_true", help="compare four profiles of several sizes")
    parser.add_argument("--pictures", action="store_true", help="draw the figure of the documentation")
    chosen = parser.parse_args(arguments)
    spec = load_crawler()
    if chosen.profiles:
        compare_profiles(spec)
    elif chosen.pictures:
        draw_pictures(spec)
    elif chosen.tighter:
        compare_tighter(spec)
    else:
        measure_costs(spec)
        measure_growth(spec)


if __name__ == "__main__":
    main()
