from __future__ import annotations

import struct
import subprocess
import sys
import zlib

import pytest

from tests.figure_rows import catalog, latency, real_results, row
from watcher.errors import UsageError
from watcher.figures import compare, gains, parse_system, scaling
from watcher.render.plots import plot_comparison, plot_gains, plot_scaling

RUBIN = {"accelerator": "vera-rubin", "platform": "VR", "value": 1440.0}
GAINED = [row(round="v6.0", value=600.0), row(), latency(round="v6.0"), latency(value=4.0)]
SCALED = [row(), row(accelerator_count=288, platform="racks", value=2592.0)]


def compared(results, subject="vera-rubin", baseline="gb300"):
    return compare(results, parse_system(subject, catalog()), parse_system(baseline, catalog()))[0]


def drawings(form):
    return [
        plot_comparison(compared([row(), row(**RUBIN)]), form),
        plot_gains(gains(GAINED, "v6.0", "v6.1"), form),
        plot_scaling(scaling(SCALED), form),
    ]


def size(png):
    """Width and height in pixels, after checking that every chunk of the file is whole."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    place = 8
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        chunk, (check,) = (
            png[place + 4 : place + 8 + length],
            struct.unpack(">I", png[place + 8 + length : place + 12 + length]),
        )
        assert zlib.crc32(chunk) == check
        place += 12 + length
    return struct.unpack(">II", png[16:24])


def test_every_plot_is_as_wide_as_a_mails_column_twice_over():
    assert {size(png)[0] for png in drawings("png")} == {1256}


def test_a_picture_is_opaque_and_light():
    png = drawings("png")[0]
    assert png[25] in {2, 6}  # true colour
    assert b"pHYs" in png


def test_svg_is_a_picture_too():
    for svg in drawings("svg"):
        assert svg.startswith(b"<?xml")
        assert svg.rstrip().endswith(b"</svg>")


def test_the_same_figures_give_the_same_bytes():
    assert (drawings("png"), drawings("svg")) == (drawings("png"), drawings("svg"))


def test_more_benchmarks_make_a_taller_picture():
    more = [
        make(**{**changes, "benchmark": name})
        for name in ("bert", "gptj")
        for make, changes in ((row, {}), (row, RUBIN))
    ]
    one, three = (
        size(plot_comparison(compared(results)))[1]
        for results in ([row(), row(**RUBIN)], [row(), row(**RUBIN), *more])
    )
    assert one < three


def test_a_picture_says_how_many_panels_it_leaves_out():
    names = [f"b{i}" for i in range(14)]
    rows = [row(**{**changes, "benchmark": name}) for name in names for changes in ({}, RUBIN)]
    tall, taller = (size(plot_comparison(compared(rows[: 2 * n])))[1] for n in (10, 14))
    assert tall == taller


@pytest.mark.parametrize("plot", [plot_comparison, plot_gains, plot_scaling])
def test_nothing_to_draw_is_a_usage_error(plot):
    with pytest.raises(UsageError, match="nothing to plot"):
        plot(())


def test_another_form_is_a_usage_error():
    with pytest.raises(UsageError, match="'gif' is not a form of picture: use png or svg"):
        plot_scaling(scaling(SCALED), "gif")


@pytest.mark.parametrize(
    "name",
    ["数据中心", "$\\frac{1}{2}$", "A very long submitter name that goes on and on", "\x1b[2J", "<svg>&"],
)
def test_published_names_are_drawn_as_text_whatever_they_hold(name):
    odd = [row(round="v6.0", submitter=name, value=600.0), row(submitter=name)]
    assert size(plot_gains(gains(odd, "v6.0", "v6.1")))[0] == 1256
    assert b"</svg>" in plot_gains(gains(odd, "v6.0", "v6.1"), "svg")


def test_rows_without_counts_are_drawn_by_the_ratio_of_the_rows():
    uncounted = [row(accelerator_count=None), row(**RUBIN, accelerator_count=None)]
    assert size(plot_comparison(compared(uncounted)))[0] == 1256


def test_a_wide_range_of_gains_is_still_one_picture():
    wide = [*GAINED, row(round="v6.0", scenario="Server", value=10.0), row(scenario="Server", value=460.0)]
    assert size(plot_gains(gains(wide, "v6.0", "v6.1")))[0] == 1256


def test_importing_the_plots_does_not_import_matplotlib():
    code = "import sys, watcher.render.plots, watcher.render.tables; print({'matplotlib', 'rich', 'numpy'} & set(sys.modules))"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "set()\n"
    )


def test_plots_of_the_real_tables(real):
    results = real_results(real)
    plots = [
        plot_comparison(compared(results, "NVIDIA/vera-rubin-nvl72@v6.1", "NVIDIA/gb300-nvl72@v6.1")),
        plot_gains(gains(results, "v6.0", "v6.1")),
        plot_scaling(scaling(results)),
    ]
    assert [size(png)[0] for png in plots] == [1256] * 3
