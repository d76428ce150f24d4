"""The crawlers of the benchmark can be built, whatever their length."""

import pytest

import crawler
from grouser.catalog.crawler.build import make_crawler


@pytest.mark.parametrize("links", [20, 150])
def test_a_longer_undercarriage_carries_more_links(links):
    spec = crawler.load_crawler()
    longer = crawler.make_long(spec, links)
    assert len(make_crawler(longer).tracks["left"].links) == spec.links.count + links
