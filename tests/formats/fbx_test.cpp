// FBX: known by its content, refused with advice where the optional component is missing, read where it is there.
#include "armature/formats/fbx.hpp"

#include <doctest/doctest.h>

#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/model/compile.hpp"
#ifdef ARMATURE_HAS_FBX
#include "armature/fbx/use_fbx.hpp"
#endif

using namespace armature;

namespace {

// Two bones of 20 cm, hips a meter above the floor; the second turns by 90 degrees within a second.
const char* const kTwoBones = R"(; FBX 7.3.0 project file
FBXHeaderExtension:  {
	FBXHeaderVersion: 1003
	FBXVersion: 7300
}
GlobalSettings:  {
	Version: 1000
	Properties70:  {
		P: "UpAxis", "int", "Integer", "",1
		P: "UpAxisSign", "int", "Integer", "",1
		P: "FrontAxis", "int", "Integer", "",2
		P: "FrontAxisSign", "int", "Integer", "",1
		P: "CoordAxis", "int", "Integer", "",0
		P: "CoordAxisSign", "int", "Integer", "",1
		P: "UnitScaleFactor", "double", "Number", "",1
		P: "TimeMode", "enum", "", "",6
	}
}
Objects:  {
	Model: 1000, "Model::Hips", "LimbNode" {
		Version: 232
		Properties70:  {
			P: "Lcl Translation", "Lcl Translation", "", "A",0,100,0
		}
	}
	Model: 1001, "Model::Spine", "LimbNode" {
		Version: 232
		Properties70:  {
			P: "Lcl Translation", "Lcl Translation", "", "A",0,20,0
		}
	}
	Model: 1002, "Model::Head", "LimbNode" {
		Version: 232
		Properties70:  {
			P: "Lcl Translation", "Lcl Translation", "", "A",0,20,0
		}
	}
	AnimationStack: 2000, "AnimStack::Bow", "" {
		Properties70:  {
			P: "LocalStop", "KTime", "Time", "",46186158000
		}
	}
	AnimationLayer: 2001, "AnimLayer::Base", "" {
	}
	AnimationCurveNode: 2002, "AnimCurveNode::R", "" {
		Properties70:  {
			P: "d|X", "Number", "", "A",0
			P: "d|Y", "Number", "", "A",0
			P: "d|Z", "Number", "", "A",0
		}
	}
	AnimationCurve: 2003, "AnimCurve::", "" {
		Default: 0
		KeyVer: 4008
		KeyTime: *2 {
			a: 0,46186158000
		}
		KeyValueFloat: *2 {
			a: 0,90
		}
		KeyAttrFlags: *1 {
			a: 24836
		}
		KeyAttrDataFloat: *4 {
			a: 0,0,0,0
		}
		KeyAttrRefCount: *1 {
			a: 2
		}
	}
}
Connections:  {
	C: "OO",1000,0
	C: "OO",1001,1000
	C: "OO",1002,1001
	C: "OO",2001,2000
	C: "OO",2002,2001
	C: "OP",2002,1001, "Lcl Rotation"
	C: "OP",2003,2002, "d|Z"
}
)";

}  // namespace

TEST_CASE("fbx: known by its content, and where the component is missing the message says how to get it") {
  CHECK((*detect_format(kTwoBones, ""))->name == std::string("fbx"));
  CHECK((*detect_format("Kaydara FBX Binary  ", ""))->name == std::string("fbx"));
  set_fbx_reader(nullptr);
  ReadOptions options;
  options.file_name = "a.fbx";
  const Result<Document> refused = read_document(kTwoBones, options);
  REQUIRE(!refused.ok());
  CHECK(refused.message().find("libassimp-dev") != std::string::npos);
}

#ifdef ARMATURE_HAS_FBX
TEST_CASE("fbx: bones in metres, the file's up axis, and the motion") {
  use_fbx();
  ReadOptions options;
  options.file_name = "bow.fbx";
  const Result<Document> document = read_document(kTwoBones, options);
  REQUIRE_MESSAGE(document.ok(), document.message());
  CHECK(document->linkage.up == "y");
  CHECK(document->linkage.name == "bow");
  const Result<Model> model = compile(document->linkage);
  REQUIRE_MESSAGE(model.ok(), model.message());
  REQUIRE(document->clips.size() == 1);
  const Clip& clip = document->clips[0];
  REQUIRE(clip.q_size == model->q_size());
  CHECK(clip.duration() == doctest::Approx(1.0));
  const auto head = [&](int frame) {
    State state;
    forward(*model, Eigen::Map<const VecX>(clip.frame(frame), clip.q_size), state);
    return state.X_WL[static_cast<std::size_t>(*model->lookup_link("Head"))].position;
  };
  CHECK((head(0) - Vec3(0, 1.4, 0)).norm() < 1e-6);
  CHECK((head(clip.frame_count() - 1) - Vec3(-0.2, 1.2, 0)).norm() < 1e-6);
  // Broken files end in a sentence.
  const std::string text = kTwoBones;
  for (std::size_t at = 30; at < text.size(); at += text.size() / 40) {
    const Result<Document> part = read_document(text.substr(0, at), options);
    if (!part.ok()) CHECK(part.message().rfind("bow.fbx", 0) == 0);
  }
  set_fbx_reader(nullptr);
}
#endif
