#include "armature/formats/srdf.hpp"

#include <doctest/doctest.h>

#include "armature/formats/mesh.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/bodies.hpp"
#include "armature/model/compile.hpp"

using namespace armature;

namespace {

Linkage arm() {
  ReadOptions options;
  options.file_name = "r.urdf";
  std::string text = "<robot name='r'><link name='base'/>";
  std::string parent = "base";
  for (const char* link : {"one", "two", "hand"}) {
    text +=
        std::string("<link name='") + link +
        "'><collision><geometry><sphere radius='0.1'/></geometry></collision></link><joint name='j_" + link +
        "' type='revolute'><parent link='" + parent + "'/><child link='" + link +
        "'/><origin xyz='0 0 0.5'/><axis xyz='0 1 0'/><limit lower='-2' upper='2' effort='1' velocity='1'/></joint>";
    parent = link;
  }
  Result<Document> document = read_document(text + "</robot>", options);
  REQUIRE_MESSAGE(document.ok(), document.message());
  return document->linkage;
}

}  // namespace

TEST_CASE("srdf: groups, states, effectors and pairs") {
  Linkage l = arm();
  std::vector<std::string> notes;
  const Status status = read_srdf(R"(<robot name="r">
    <group name="arm"><chain base_link="base" tip_link="hand"/></group>
    <group name="wrist"><joint name="j_two"/><joint name="j_hand"/></group>
    <group_state name="home" group="arm"><joint name="j_one" value="0.5"/><joint name="j_two" value="-1"/></group_state>
    <group_state name="home" group="wrist"><joint name="j_hand" value="0.1"/></group_state>
    <end_effector name="tool" parent_link="hand" group="wrist"/>
    <disable_collisions link1="one" link2="hand" reason="Never"/>
    <disable_collisions link1="one" link2="nobody" reason="Never"/>
    <virtual_joint name="v" type="fixed" parent_frame="world" child_link="base"/>
  </robot>)",
                                  "r.srdf", l, notes);
  REQUIRE_MESSAGE(status.ok(), status.message());
  REQUIRE(l.groups.size() == 2);
  CHECK(l.groups[0].tip == "hand");
  CHECK(l.groups[1].base == "one");
  CHECK(l.groups[1].tip == "hand");
  REQUIRE(l.poses.size() == 2);
  CHECK(l.poses[0].name == "home");
  CHECK(l.poses[1].name == "wrist.home");
  CHECK(l.effectors == std::vector<std::string>{"hand"});
  REQUIRE(l.ignored_pairs.size() == 1);
  CHECK(notes.size() == 2);  // the stranger, and the virtual joint

  const Model model = *compile(l);
  const Bodies bodies = *compile_bodies(model);
  bool found = false;
  for (const LinkPair& pair : bodies.links) {
    if (model.link_name(pair.a) != "one" || model.link_name(pair.b) != "hand") continue;
    found = true;
    CHECK(pair.reason == PairReason::ignored);
    CHECK(pair.word == "Never");
  }
  CHECK(found);
  CHECK_FALSE(read_srdf("<mujoco/>", "x", l, notes).ok());
  CHECK_FALSE(
      read_srdf("<robot><group_state name='a' group='b'><joint name='j_one'/></group_state></robot>", "x", l, notes)
          .ok());
}

TEST_CASE("meshes: STL of both kinds, OBJ and DAE") {
  const std::string text =
      "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 2 "
      "0\nendloop\nendfacet\nendsolid\n";
  const auto stl = read_mesh(text, "a.stl");
  REQUIRE_MESSAGE(stl.ok(), stl.message());
  REQUIRE(stl->size() == 1);
  CHECK(stl->front().c == Vec3(0, 2, 0));

  std::string binary(80, 's');
  const std::uint32_t count = 1;
  binary.append(reinterpret_cast<const char*>(&count), 4);
  const float numbers[12] = {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0};
  binary.append(reinterpret_cast<const char*>(numbers), 48);
  binary.append(2, '\0');
  const auto same = read_mesh(binary, "b.STL");
  REQUIRE_MESSAGE(same.ok(), same.message());
  CHECK(same->front().c == Vec3(0, 2, 0));
  CHECK_FALSE(read_mesh(binary.substr(0, 100), "b.stl").ok());

  const auto obj = read_mesh("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/1/1 2//1 3 -1\n", "c.obj");
  REQUIRE_MESSAGE(obj.ok(), obj.message());
  CHECK(obj->size() == 2);
  CHECK_FALSE(read_mesh("v 0 0 0\nf 1 2 3\n", "c.obj").ok());

  const auto dae = read_mesh(R"(<?xml version="1.0"?><COLLADA><asset><unit meter="0.001"/></asset>
    <library_geometries><geometry id="g"><mesh><source id="p"><float_array id="pa" count="9">0 0 0 1000 0 0 0 2000 0</float_array>
    <technique_common><accessor source="#pa" stride="3"/></technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#n" offset="1"/><p>0 0 1 0 2 0</p></triangles></mesh></geometry></library_geometries>
    <library_visual_scenes><visual_scene><node><translate>0 0 500</translate><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes></COLLADA>)",
                             "d.dae");
  REQUIRE_MESSAGE(dae.ok(), dae.message());
  REQUIRE(dae->size() == 1);
  CHECK((dae->front().c - Vec3(0, 2, 0.5)).norm() < 1e-12);
}

TEST_CASE("srdf: groups of groups hold each joint once, and joints in a cycle do not hang the reader") {
  Linkage l = arm();
  std::vector<std::string> notes;
  std::string text = "<robot name='r'><group name='g0'><joint name='j_two'/><joint name='j_hand'/></group>";
  for (int i = 1; i <= 60; ++i) {
    const std::string before = "<group name='g" + std::to_string(i - 1) + "'/>";
    text += "<group name='g" + std::to_string(i) + "'>" + before + before + "</group>";
  }
  text += "<group name='arm'><chain base_link='base' tip_link='hand'/></group>";
  text += "<group name='all'><group name='g0'/><group name='arm'/></group></robot>";
  REQUIRE(read_srdf(text, "r.srdf", l, notes).ok());
  REQUIRE(l.groups.size() == 63);
  CHECK(l.groups[60].joints == std::vector<std::string>{"j_two", "j_hand"});
  CHECK(l.groups[62].joints == std::vector<std::string>{"j_two", "j_hand", "j_one"});

  Linkage cycle = arm();
  cycle.joints.push_back(cycle.joints.back());
  cycle.joints.back().name = "back";
  cycle.joints.back().parent = "hand";
  cycle.joints.back().child = "base";
  CHECK(read_srdf("<robot name='r'><group name='a'><chain base_link='base' tip_link='hand'/></group>"
                  "<group name='b'><group name='a'/><link name='base'/></group></robot>",
                  "r.srdf", cycle, notes)
            .ok());
}

TEST_CASE("meshes: COLLADA with references that are empty, counts that are huge, nodes that show themselves") {
  const auto dae = [](const std::string& input, const std::string& count, const std::string& nodes) {
    return "<COLLADA><library_geometries><geometry id='g'><mesh><source id='p'><float_array>0 0 0 1 0 0 0 1 "
           "0</float_array>"
           "</source><vertices id='v'><input semantic='POSITION' source='#p'/></vertices><polylist><input "
           "semantic='VERTEX' "
           "source='" +
           input + "' offset='0'/><vcount>" + count +
           "</vcount><p>0 1 2</p></polylist></mesh></geometry></library_geometries>" + nodes + "</COLLADA>";
  };
  CHECK(read_mesh(dae("#v", "3", ""), "a.dae")->size() == 1);
  CHECK(read_mesh(dae("#v", "1e300", ""), "a.dae")->size() == 1);
  CHECK_FALSE(read_mesh(dae("", "3", ""), "a.dae").ok());
  std::string many;
  for (int i = 0; i < 2000; ++i) many += "<node/>";
  many += "<instance_node url='#n'/><instance_node url='#n'/><instance_geometry url='#g'/>";
  const std::string nodes = "<library_nodes><node id='n'>" + many +
                            "</node></library_nodes><library_visual_scenes><visual_scene>"
                            "<node><instance_node url='#n'/></node></visual_scene></library_visual_scenes>";
  const Result<std::vector<Triangle>> endless = read_mesh(dae("#v", "3", nodes), "a.dae");
  CHECK(endless.message().find("more nodes") != std::string::npos);
}
