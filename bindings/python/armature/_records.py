"""Small Python parts of the package: answers with named fields, and a line that shows progress."""
import sys


class Record(dict):
    """A dict whose members are attributes, too: goal.reached and goal["reached"]."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"There is no {name!r} here; there are {', '.join(map(str, self))}.") from None

    def __dir__(self):
        return [*super().__dir__(), *map(str, self)]

    def __reduce__(self):
        return type(self), (dict(self),)


class Mechanism(Record):
    """What a linkage with loops can do: mobility, kutzbach, redundant, drives, transmission, closure_error, modes, circuits."""


class DriveReport(Record):
    """How a drive ended: ok, outcome, message, clip, values, transmission, q, stopped_at, limit_joint, closure_error."""


class Comparisons(list):
    """The rows of compare(), which print as a table."""

    def __str__(self):
        head = ("method", "outcome", "iterations", "error", "median us", "path")
        rows = [(row.method, row.report.outcome, "", "", "", "") if row.report.outcome == "refused" else
                (row.method, row.report.outcome, str(row.report.iterations), f"{row.report.position_error:.3g}", f"{row.microseconds[1]:.1f}",
                 "" if row.path_length is None else f"{row.path_length:.3g}") for row in self]
        widths = [max(map(len, column)) for column in zip(head, *rows)]
        lines = ["  ".join([row[0].ljust(widths[0]), row[1].ljust(widths[1]), *map(str.rjust, row[2:], widths[2:])]) for row in [head, *rows]]
        return "\n".join(line.rstrip() for line in lines)


class Solutions:
    """All poses that reach a goal: q (N, q_size), residuals, complete, singular_joints, answers, curves, message,
    kind."""

    def __init__(self, fields):
        self.__dict__.update(fields)

    def __len__(self):
        return len(self.q)

    def __repr__(self):
        return f"<armature.Solutions: {len(self)}, {'all there are' if self.complete else 'perhaps not all'}>"


def show_progress(fraction):
    """A line on standard error that grows to 100 %."""
    end = "\n" if fraction >= 1 else ""
    print(f"\r{100 * fraction:5.1f} %", end=end, file=sys.stderr, flush=True)
