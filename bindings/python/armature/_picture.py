"""What draw() gives."""
import os


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
        """Writes the SVG to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._svg)

    def __str__(self) -> str:
        return self._svg

    def __repr__(self) -> str:
        return f"<armature.Picture: {len(self._svg)} bytes of SVG>"
