"""The front page and each list link to the feed of changes if the site has one."""

from pathlib import Path

import pytest

from scalesheet.site.harden import FEED, harden


@pytest.mark.parametrize("there", [True, False])
def test_lists_link_to_the_feed_by_a_relative_path(tmp_path: Path, there: bool) -> None:
    pages = {"index.html": FEED, "book/plans/index.html": f"../../{FEED}"}
    for page in pages:
        (tmp_path / page).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / page).write_text("<html><head><title>A</title></head></html>", "utf-8")
    if there:
        (tmp_path / FEED).parent.mkdir(parents=True)
        (tmp_path / FEED).write_text("<feed/>", "utf-8")
    harden(tmp_path)
    for page, way in pages.items():
        # not only `rel="alternate"`, which makes the theme's script fetch it
        named = '<link rel="alternate feed" type="application/atom+xml"' in (
            text := (tmp_path / page).read_text("utf-8")
        )
        assert named == there == (f'href="{way}"' in text)
