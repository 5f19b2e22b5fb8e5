"""A pose within limits; when it fails, why."""
import armature

panda = armature.load_model("panda")
for target in ([0.4, 0.2, 0.5, 1, 0, 0, 0], [0.9, 0.6, 0.5, 1, 0, 0, 0]):
    report = panda.solve(target, link="panda_tcp")
    print(report.outcome, "-", report.message)
    print(report.q.round(4) if report else [at.joint for at in report.blocking_joints])
