"""Results and models as a notebook shows them."""

from __future__ import annotations

import base64
import html
import re
import subprocess
import sys

import numpy as np
from synthetic_track import LINKS, Drive, make_blocks, make_model, make_pendulum_result, make_result

from grouser.output.notebook import MOST_POSES, make_still
from grouser.result.writer import ResultWriter


def find_facts(text: str) -> dict[str, str]:
    rows = re.findall(r"<tr><th[^>]*>(.*?)</th><td[^>]*>(.*?)</td></tr>", text)
    return {html.unescape(name): html.unescape(value) for name, value in rows}


def find_pictures(text: str) -> list[bytes]:
    return [base64.b64decode(found) for found in re.findall(r'src="data:image/png;base64,([^"]*)"', text)]


def test_a_result_shows_numbers_a_picture_and_the_motion():
    result = make_result(Drive(duration=0.5))
    text = result._repr_html_()
    facts = find_facts(text)
    assert facts["model"] == "small-track" and facts["slip"].startswith("10 %")
    (picture,) = find_pictures(text)
    assert picture.startswith(b"\x89PNG") and len(picture) > 10_000
    (page,) = re.findall(r'<iframe [^>]*sandbox="allow-scripts"[^>]* srcdoc="([^"]*)">', text)
    assert '<body class="small">' in html.unescape(page)
    assert "plotly" not in html.unescape(page).partition('id="facts"')[0]


def test_a_result_that_is_not_to_be_trusted_says_so_first():
    assert "Not to be trusted" not in make_result(Drive(duration=1.0))._repr_html_()
    model = make_model()
    writer = ResultWriter(None, header={"model_name": "mine"}, blocks=make_blocks(model), model=model)
    result = writer.finish("failed", "<b>diverged</b>", {"doubts": ["The run has failed (<b>diverged</b>)."]})
    text = result._repr_html_()
    assert text.startswith('<div role="alert"')
    assert "<b>" not in text and "(&lt;b&gt;diverged&lt;/b&gt;)." in text.partition("<table>")[0]
    assert repr(result).startswith("<Result doubts 1, model mine")


def test_a_long_result_stays_small():
    result = make_result(Drive(duration=60.0))
    assert len(result.time) * len(result.model.bodies) > 4 * MOST_POSES
    assert len(result._repr_html_()) < 3e6


def test_results_without_a_frame_without_motion_and_closed_ones_show_what_there_is():
    model = make_model()
    empty = ResultWriter(None, header={"model_name": "mine"}, blocks=make_blocks(model), model=model)
    text = empty.finish("interrupted")._repr_html_()
    assert find_facts(text)["status"] == "interrupted" and "<iframe" not in text
    block = next(block for block in make_blocks(model) if block.name == "link/tension")
    blind = ResultWriter(None, header={}, blocks=[block], model=model)
    blind.add_frames([0.0], {"link/tension": np.zeros((1, 2 * LINKS, 1))})
    assert "body/" in find_facts(blind.finish("done")._repr_html_())["cannot be drawn"]
    closed = make_pendulum_result()
    closed.close()
    assert closed._repr_html_() == html.escape(repr(closed))


def test_a_model_shows_what_it_is_made_of_and_a_picture():
    model = make_model()
    text = model._repr_html_()
    facts = find_facts(text)
    assert facts["bodies"] == "29, 290 kg in all"
    assert facts["tracks"] == "left: 10 links, right: 10 links"
    assert facts["joints"] == "8 joints, 20 pins"
    assert len(find_pictures(text)) == 1


def test_a_model_has_its_page_after_a_plain_import():
    """Nothing below `output` imports it: the package says who makes the page."""
    program = """
import sys, grouser as gr
builder = gr.ModelBuilder("stone")
builder.add_body("stone", 1.0, (0.1, 0.1, 0.1))
model = builder.build()
assert not any(name.startswith("grouser.output") for name in sys.modules)
print(model._repr_html_())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert find_facts(done.stdout)["model"] == "stone"
    assert len(find_pictures(done.stdout)) == 1


def test_names_are_text():
    model = make_pendulum_result().model.with_changes(name="<b>bob</b>")
    assert "&lt;b&gt;bob&lt;/b&gt;" in model._repr_html_()


def test_a_still_is_the_model_at_its_start():
    model = make_model()
    still = make_still(model)
    np.testing.assert_allclose(still["left.wheel.position"], [model.bodies["left.wheel"].position])
