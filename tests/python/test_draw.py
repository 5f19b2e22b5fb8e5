"""Pictures: what notebooks show of models, states, motions and reports."""
import html
import json
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


@pytest.fixture
def page(tmp_path, monkeypatch):
    """A page with the place where a scene goes. The real one is tried by the studio's browser tests (notebook.mjs)."""
    file = tmp_path / "armature_studio.html"
    file.write_text('<b>before</b><script type="application/json" id="armature-given">{}</script>after', encoding="utf-8")
    monkeypatch.setattr(armature.notebook, "_page", lambda: file)
    return file


def given(text):
    return json.loads(text.partition('id="armature-given">')[2].partition("</script>")[0])


def test_a_view_holds_the_scene(page, tmp_path):
    view = ARM.view([10, 12], start="chapter", method="dls", height=333)
    cell = view._repr_html_()
    assert cell.startswith("<iframe") and "height: 333px" in cell
    inside = given(html.unescape(cell.partition('srcdoc="')[2].partition('"></iframe>')[0]))
    assert inside["embed"] and inside["scene"]["goals"][0]["target"] == [10, 12] and inside["scene"]["method"] == "dls"
    view.save(tmp_path / "arm.html")
    saved = (tmp_path / "arm.html").read_text(encoding="utf-8")
    assert saved.startswith("<b>before</b>") and saved.endswith("after") and not given(saved)["embed"]
    # The start by joints, the model itself: the page has neither the poses' names of another model nor files.
    assert given(saved)["scene"]["start"]["joint1"] == pytest.approx(ARM.pose("chapter")[0])
    assert armature.load_model(given(saved)["scene"]["model"]).links == ARM.links
    assert pickle.loads(pickle.dumps(view)).scene == view.scene
    assert armature.Scene(ARM, [10, 12], start="chapter", method="dls").view().scene == view.scene


def test_names_do_not_end_the_page(page, tmp_path):
    model = armature.load_model({"name": "</script><script>alert(1)</script>", "links": ['"><img>', "b"], "joints": [
        {"name": "j", "type": "revolute", "parent": '"><img>', "child": "b", "axis": [0, 0, 1]}]})
    view = model.view()
    view.save(tmp_path / "model.html")
    saved = (tmp_path / "model.html").read_text(encoding="utf-8")
    assert saved.count("</script>") == 1 and given(saved)["scene"]["name"] == model.name
    assert "<script>" not in view._repr_html_() and "<img>" not in view._repr_html_()


def test_a_view_says_what_the_studio_has_not(page):
    with pytest.warns(UserWarning, match="no method 'follow'"):
        assert ARM.view([1, 2], method="follow").scene["method"] == "auto"
    robot = armature.load_model({"name": "meshed", "links": [{"name": "base", "visuals": [{"geometry": {"type": "mesh", "uri": "base.stl"}}]}], "joints": []})
    with pytest.warns(UserWarning, match="capsules"):
        robot.view()
    # Places of two numbers are the studio's own on a flat figure, and keep their free axis elsewhere.
    assert "axes" not in ARM.view([1, 2]).scene["goals"][0]
    assert armature.load_model("panda").view([0.4, 0.2], link="panda_tcp").scene["goals"][0]["axes"] == {"free": "z"}
    # Goals that nobody named are called after their link, unless keys speak of them.
    keys = {"goals": {"position panda_tcp": [{"time": 0, "target": [0.4, 0.2, 0.5]}, {"time": 1, "target": [0.4, -0.2, 0.5]}]}}
    panda = armature.load_model("panda")
    assert "name" not in panda.view([0.4, 0.2, 0.5], link="panda_tcp").scene["goals"][0]
    assert armature.Scene(panda, [0.4, 0.2, 0.5], link="panda_tcp", keys=keys).view().scene["goals"][0]["name"] == "position panda_tcp"


def test_a_view_without_the_studio_is_a_picture(monkeypatch, tmp_path):
    monkeypatch.setattr(armature.notebook, "_page", lambda: None)
    view = ARM.view([10, 12])
    assert "<svg" in view._repr_html_() and "./run studio" in view._repr_html_()
    with pytest.raises(armature.ArmatureError, match="./run studio"):
        view.save(tmp_path / "arm.html")
    assert not (tmp_path / "arm.html").exists()


def test_mistakes_of_views_are_named(page, tmp_path):
    for keywords, words in (({"height": 3}, "100 to 10000"), ({"hieght": 300}, "hieght"), ({"link": "hand"}, "hand")):
        with pytest.raises(armature.ArmatureError, match=words):
            ARM.view([1, 2], **keywords)
    with pytest.raises(armature.ArmatureError, match="end in .html"):
        ARM.view().save(tmp_path / "arm.svg")
    page.write_text("another page", encoding="utf-8")
    with pytest.raises(armature.ArmatureError, match="not the studio of this version"):
        ARM.view().save(tmp_path / "arm.html")
