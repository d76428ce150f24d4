"""The mark of own files: found at its place, and nowhere else."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from synthetic_track import make_pendulum_result

from grouser.output.encoder import Encoder, find_encoder
from grouser.output.gltf import save_glb
from grouser.output.plots import save_figure
from grouser.result.mark import MADE_BY, is_marked

WORDS = "as good as grouser 0.1.0"


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_figures(tmp_path: Path, suffix: str) -> None:
    figure = plt.figure()
    figure.text(0.1, 0.1, MADE_BY)
    own = save_figure(figure, tmp_path / f"own.{suffix}")
    assert is_marked(own)
    other = tmp_path / f"other.{suffix}"
    about = {"Title": MADE_BY} if suffix != "svg" else {"Title": MADE_BY, "Description": f"<dc:title>{MADE_BY}"}
    with plt.rc_context({"svg.fonttype": "none", "pdf.compression": 0}):
        figure.savefig(other, metadata=about)
    plt.close(figure)
    assert MADE_BY.encode() in other.read_bytes()
    assert not is_marked(other)
    other.write_bytes(other.read_bytes() + f"\n{MADE_BY}\n/Creator ({MADE_BY})\n".encode())
    assert not is_marked(other)


def test_an_own_file_under_another_suffix_is_no_own_one(tmp_path: Path) -> None:
    figure = plt.figure()
    own = save_figure(figure, tmp_path / "own.png")
    plt.close(figure)
    for suffix in (".svg", ".pdf", ".mp4", ".glb", ".md", ".csv", ".txt"):
        assert not is_marked(own.rename(own.with_suffix(suffix)))
        own.with_suffix(suffix).rename(own)


def test_text_in_a_picture_that_is_not_its_software(tmp_path: Path) -> None:
    facts = PngInfo()
    facts.add_text("Comment", f"Software\0{MADE_BY}")
    facts.add_text("Software", WORDS)
    Image.new("RGB", (4, 4)).save(tmp_path / "other.png", pnginfo=facts)
    assert not is_marked(tmp_path / "other.png")


def save_movie(path: Path, *, is_own: bool) -> Path:
    pytest.importorskip("imageio_ffmpeg")
    encoder = Encoder(find_encoder(), path, (16, 16), 10.0)
    if not is_own:
        encoder._words = [word.replace("comment=", "title=") for word in encoder._words]
    with encoder:
        encoder.add(np.zeros(16 * 16 * 3, dtype=np.uint8).tobytes())
    return path


def test_movies(tmp_path: Path) -> None:
    own = save_movie(tmp_path / "own.mp4", is_own=True)
    assert is_marked(own)
    other = save_movie(tmp_path / "other.mp4", is_own=False)
    assert MADE_BY.encode() in other.read_bytes()
    assert not is_marked(other)
    content = own.read_bytes()
    for length in range(0, len(content), 7):
        other.write_bytes(content[:length])
        is_marked(other)  # what is cut off is judged without an error


def test_scenes(tmp_path: Path) -> None:
    own = save_glb(make_pendulum_result(), tmp_path / "own.glb")
    assert is_marked(own)
    text = json.dumps({"asset": {"version": "2.0", "generator": "Blender", "copyright": MADE_BY}}).encode()
    other = tmp_path / "other.glb"
    other.write_bytes(struct.pack("<4sIII4s", b"glTF", 2, 20 + len(text), len(text), b"JSON") + text)
    assert not is_marked(other)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", f"# Notes\n\nmade by {MADE_BY}\n"),
        ("a.md", f"<!-- {MADE_BY} -->\n\n# Notes\n"),
        ("a.csv", f"run,{MADE_BY}\n"),
        ("a.csv", "run,doubts\n"),
        ("a.svg", f"<svg><text>{MADE_BY}</text></svg>"),
        ("a.svg", f"<svg><!-- <metadata><dc:creator><cc:Agent><dc:title>{MADE_BY} --></svg>"),
        ("a.pdf", f"%PDF-1.4\n1 0 obj\n<< /Creator ({MADE_BY}) >>\nstartxref\n9\n%%EOF\n"),
        ("a.pdf", "%PDF-1.4\ntrailer\n<< /Info 3 0 R >>\nstartxref\n999999\n%%EOF\n"),
        ("a.png", MADE_BY),
        ("a.mp4", MADE_BY),
        ("a.glb", MADE_BY),
        ("a.txt", MADE_BY),
    ],
)
def test_texts_that_name_the_program(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert not is_marked(tmp_path / name)
