"""Every pose of an arm that reaches one target."""
import armature

ur5 = armature.load_model("ur5")
X = ur5.transform("tool0", ur5.random_pose(3))
found = ur5.solutions(X, within_limits=False)  # each answer once; else with every full turn that the limits allow
print(found.q.round(4), "all of them" if found.complete else "those that were found", sep="\n")
print(ur5.analyze_chain().sentence)
assert found.complete and len(found) > 0
