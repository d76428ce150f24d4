"""The crawlers of the benchmark can be built, whatever their length."""

import runpy
from pathlib import Path

import pytest

from grouser.catalog.crawler.build import make_crawler

CRAWLER = Path(__file__).parents[2] / "bench" / "crawler.py"


@pytest.mark.parametrize("links", [20, 150])
def test_a_longer_undercarriage_carries_more_links(links):
    bench = runpy.run_path(str(CRAWLER))
    spec = bench["load_crawler"]()
    longer = bench["make_long"](spec, links)
    assert len(make_crawler(longer).tracks["left"].links) == spec.links.count + links
