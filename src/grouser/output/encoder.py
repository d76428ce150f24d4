"""The encoder of movies: pictures go in, a file comes out, and what goes wrong is told."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from types import TracebackType

from grouser.errors import ResultError
from grouser.result.mark import MADE_BY

QUALITY = 20
"""Constant rate factor of x264; less is better and larger."""


def find_encoder() -> str:
    """The program ffmpeg that comes with imageio-ffmpeg."""
    try:
        from imageio_ffmpeg import get_ffmpeg_exe
    except ImportError as error:
        raise ResultError(
            "movies need imageio-ffmpeg, which is not installed: install it with  pip install 'grouser[render]'"
        ) from error
    return str(get_ffmpeg_exe())


class Encoder:
    """Writes a movie (.mp4) while its ``with`` block is open.

    Parameters
    ----------
    program : of `find_encoder`
    path : the file to write
    size : width and height [pixel], even
    fps : pictures a second
    """

    def __init__(self, program: str, path: Path, size: tuple[int, int], fps: float) -> None:
        pictures = ["-f", "rawvideo", "-s", f"{size[0]}x{size[1]}", "-pix_fmt", "rgb24", "-r", f"{fps:.9g}", "-i", "-"]
        movie = ["-an", "-vcodec", "libx264", "-pix_fmt", "yuv420p", "-crf", str(QUALITY), "-movflags", "+faststart"]
        facts = ["-metadata", f"comment={MADE_BY}"]
        self._words = [program, "-y", "-v", "error", *pictures, *movie, *facts, "-f", "mp4", str(path)]

    def __enter__(self) -> Encoder:
        self._said = tempfile.TemporaryFile()
        # a session of its own: Ctrl-C is for us, and we tell it what to do
        self._process = subprocess.Popen(
            self._words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._said, start_new_session=True
        )
        return self

    def add(self, picture: bytes) -> None:
        """Add a picture, three bytes a pixel."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(picture)
        except BrokenPipeError:
            self._check_end()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._said:
            if kind is None:
                self._check_end()
            else:
                self._process.kill()
                self._process.communicate()

    def _check_end(self) -> None:
        """Wait for the end of the encoder, which must be a good one."""
        self._process.communicate()
        if self._process.returncode:
            self._said.seek(0)
            lines = self._said.read().decode(errors="replace").strip().splitlines()
            reason = lines[-1] if lines else f"the encoder ended with {self._process.returncode}"
            raise OSError(reason.rpartition("] ")[2])
