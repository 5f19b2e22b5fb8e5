"""A method of one's own, compared with built-in ones."""
import armature


class Steepest(armature.Method):
    """Steepest descent: a step along the gradient."""
    name, options = "steepest", {"gain": 0.5}

    def step(self, rows):
        return 2 * self.gain / (rows.J ** 2).sum() * rows.J.T @ rows.error  # limits, stopping, trace and report are the base's


armature.register_method(Steepest)
scene = armature.Scene("planar_arm", [-20, 5], start="chapter", max_iterations=5000, tolerance=1e-3)
for row in armature.compare(scene, ["steepest", "dls", "ccd", "reach"]):
    print(f"{row.method:10} {row.report.message}")
    assert row.report.ok
