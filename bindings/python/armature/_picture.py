"""What draw() gives."""
import os

from ._core import ArmatureError


class Picture:
    """A drawing: notebooks show it, str() is its SVG, save() writes it.

    >>> picture = armature.load_model('planar_arm').draw('chapter', goals=[[-20, 5]])
    >>> str(picture).startswith('<svg') or str(picture).startswith('<?xml')
    True
    """

    def __init__(self, svg: str) -> None:
        self._svg = str(svg)

    def _repr_svg_(self) -> str:
        """What notebooks show."""
        return self._svg

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes the SVG to a file, whose name ends in .svg."""
        path = os.fspath(path)  # not a number, which would be a file that is open already
        if not str(path).lower().endswith(".svg"):
            raise ArmatureError(f"A picture is saved as SVG: {path!r} should end in .svg; `armature draw -o` also writes PNG.")
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write(self._svg)
        except OSError as problem:
            raise ArmatureError(f"The picture cannot be written to {path!r}: {problem.strerror}.") from problem

    def __str__(self) -> str:
        return self._svg

    def __repr__(self) -> str:
        return f"<armature.Picture: {len(self._svg)} bytes of SVG>"
