"""Pictures: what notebooks show of models, states, motions and reports."""
import pickle
import xml.etree.ElementTree

import numpy as np
import pytest

import armature

ARM = armature.load_model("planar_arm")


def shapes(thing):
    return len(list(xml.etree.ElementTree.fromstring(thing._repr_svg_()).iter()))


def test_models_states_motions_and_reports_show_themselves():
    report = ARM.solve([-20, 5], start="chapter")
    clip = armature.Clip(ARM, np.linspace(ARM.pose("chapter"), report.q, 20))
    for thing in (ARM, ARM.state("chapter"), report, clip, armature.load_model("panda"), armature.load_model("human")):
        assert shapes(thing) > 5
    assert shapes(report) > shapes(ARM.state(report.q))  # the goal is marked
    assert shapes(pickle.loads(pickle.dumps(report))) == shapes(ARM.state(report.q))  # whose goals are gone
    assert clip._repr_svg_().count("frame ") == 6


def test_a_picture_is_text_and_a_file(tmp_path):
    picture = ARM.draw({"joint1": 0.5}, goals=[[10, 10]], show=["limits", "labels"], title="an arm", size=300)
    assert "an arm" in str(picture) and "joint2" in str(picture)
    picture.save(tmp_path / "arm.svg")
    assert (tmp_path / "arm.svg").read_text(encoding="utf-8") == str(picture)
    assert str(ARM.draw([0.5, 0, 0])) == str(ARM.draw([0.5, 0, 0]))


def test_motions_take_frames_and_trails():
    clip = armature.Clip(ARM, np.linspace([0, 0, 0], [1, 1, 1], 11), frame_rate=10)
    assert str(clip.draw(at=[0, 5])).count("frame ") == 2
    assert str(clip.draw(onion=4, trail=["tip"])).count("frame ") == 0
    assert str(clip.draw(strip=3, columns=1)) != str(clip.draw(strip=3))


@pytest.mark.parametrize("keywords, words", [
    ({"veiw": "top"}, "draw has no keyword 'veiw'; did you mean 'view'"), ({"view": "above"}, "front"), ({"style": "stick"}, "sticks"),
    ({"show": ["limit"]}, "did you mean 'limits'"), ({"goals": [[1]]}, "2 or 3 numbers"), ({"goals": [[1, float("nan")]]}, "goals"),
    ({"size": -1}, "size")])
def test_mistakes_are_named(keywords, words):
    with pytest.raises(armature.ArmatureError, match=words.replace("(", r"\(")):
        ARM.draw(**keywords)


def test_mistakes_of_motions_are_named():
    clip = armature.Clip(ARM, [[0, 0, 0], [1, 1, 1]])
    for keywords, words in (({"at": [2]}, "0 to 1"), ({"strip": -1}, "negative"), ({"trail": ["hand"]}, "hand"),
                            ({"strip": 1, "onion": 1}, "both")):
        with pytest.raises(armature.ArmatureError, match=words):
            clip.draw(**keywords)
