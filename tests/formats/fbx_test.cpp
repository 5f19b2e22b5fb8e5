// FBX: known by its content, refused with advice where the optional component is missing, read where it is there.
#include "armature/formats/fbx.hpp"

#include <doctest/doctest.h>

#include "armature/formats/registry.hpp"
#include "armature/formats/skin.hpp"
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

// The same bones with a square around the spine: two corners follow the hips, two the spine by three quarters.
std::string skinned_bones(const std::string& up) {
  std::string text = kTwoBones;
  const auto put_before = [&](const std::string& where, const std::string& what) {
    text.insert(text.find(where), what);
  };
  put_before("	AnimationStack: 2000", R"(	Model: 1100, "Model::Body", "Mesh" {
		Version: 232
	}
	Geometry: 3000, "Geometry::Body", "Mesh" {
		Vertices: *12 {
			a: -5,100,0,5,100,0,5,130,0,-5,130,0
		}
		PolygonVertexIndex: *4 {
			a: 0,1,2,-4
		}
		GeometryVersion: 124
		LayerElementMaterial: 0 {
			Version: 101
			Name: ""
			MappingInformationType: "AllSame"
			ReferenceInformationType: "IndexToDirect"
			Materials: *1 {
				a: 0
			}
		}
		Layer: 0 {
			Version: 100
			LayerElement:  {
				Type: "LayerElementMaterial"
				TypedIndex: 0
			}
		}
	}
	Material: 3100, "Material::Skin", "" {
		Version: 102
		ShadingModel: "lambert"
		Properties70:  {
			P: "DiffuseColor", "Color", "", "A",0.25,0.5,0.75
		}
	}
	Deformer: 4000, "Deformer::", "Skin" {
		Version: 101
		Link_DeformAcuracy: 50
	}
	Deformer: 4001, "SubDeformer::", "Cluster" {
		Version: 100
		UserData: "", ""
		Indexes: *4 {
			a: 0,1,2,3
		}
		Weights: *4 {
			a: 1,1,0.25,0.25
		}
		Transform: *16 {
			a: 1,0,0,0,0,1,0,0,0,0,1,0,0,-100,0,1
		}
		TransformLink: *16 {
			a: 1,0,0,0,0,1,0,0,0,0,1,0,0,100,0,1
		}
	}
	Deformer: 4002, "SubDeformer::", "Cluster" {
		Version: 100
		UserData: "", ""
		Indexes: *2 {
			a: 2,3
		}
		Weights: *2 {
			a: 0.75,0.75
		}
		Transform: *16 {
			a: 1,0,0,0,0,1,0,0,0,0,1,0,0,-120,0,1
		}
		TransformLink: *16 {
			a: 1,0,0,0,0,1,0,0,0,0,1,0,0,120,0,1
		}
	}
)");
  put_before("	C: \"OO\",2001,2000", R"(	C: "OO",1100,0
	C: "OO",3000,1100
	C: "OO",3100,1100
	C: "OO",4000,3000
	C: "OO",4001,4000
	C: "OO",4002,4000
	C: "OO",1000,4001
	C: "OO",1001,4002
)");
  const std::string y = "\"UpAxis\", \"int\", \"Integer\", \"\",1";
  text.replace(text.find(y), y.size(), "\"UpAxis\", \"int\", \"Integer\", \"\"," + up);
  return text;
}

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

// Where the four corners are in a frame: the sum of weight * X_WL * inverse_bind * position.
std::vector<Vec3> skinned_corners(const Document& document, const Model& model, int frame) {
  const std::vector<Surface> all = surfaces(document, model);
  REQUIRE(all.size() == 1);
  const Surface& surface = all[0];
  REQUIRE(!surface.joints.empty());
  REQUIRE(surface.color.has_value());
  CHECK((*surface.color)[1] == doctest::Approx(0.5).epsilon(1e-6));
  State state;
  forward(model, document.clips[0].frame(frame), state);
  std::vector<Vec3> corners;
  for (std::size_t v = 0; 3 * v < surface.positions.size(); ++v) {
    const Vec4 at(surface.positions[3 * v], surface.positions[3 * v + 1], surface.positions[3 * v + 2], 1.0);
    Vec3 place = Vec3::Zero();
    for (std::size_t k = 4 * v; k < 4 * v + 4; ++k) {
      const std::size_t bone = surface.joints[k];
      const Mat4 bind = Eigen::Map<const Eigen::Matrix4f>(surface.inverse_bind.data() + 16 * bone).cast<double>();
      const Transform& X = state.X_WL[static_cast<std::size_t>(surface.links[bone])];
      place += static_cast<double>(surface.weights[k]) * (X.matrix() * bind * at).head<3>();
    }
    corners.push_back(place);
  }
  return corners;
}

TEST_CASE("fbx: skin weights move the mesh with the bones, and go on into glTF") {
  use_fbx();
  ReadOptions options;
  options.file_name = "body.fbx";
  for (const bool z_up : {false, true}) {
    INFO(z_up);
    const Result<Document> document = read_document(skinned_bones(z_up ? "2" : "1"), options);
    REQUIRE_MESSAGE(document.ok(), document.message());
    CHECK(document->linkage.up == "y");
    const Model model = compile(document->linkage).value();
    // y and z of the file, in a world with y up.
    const auto turned = [&](double x, double y) { return z_up ? Vec3(x, 0.0, -y) : Vec3(x, y, 0.0); };
    const auto has = [&](const std::vector<Vec3>& corners, const Vec3& wanted) {
      double nearest = 1.0;
      for (const Vec3& corner : corners) nearest = std::min(nearest, (corner - wanted).norm());
      CHECK(nearest < 1e-6);
    };
    const int last = document->clips[0].frame_count() - 1;
    const std::vector<Vec3> rest = skinned_corners(*document, model, 0);
    const std::vector<Vec3> bent = skinned_corners(*document, model, last);
    REQUIRE(rest.size() == 4);
    has(rest, turned(-0.05, 1.0));
    has(rest, turned(0.05, 1.3));
    // The spine's joint is at 1.2: the upper corners turn by 90 degrees about it, and count for three quarters.
    has(bent, turned(-0.05, 1.0));
    has(bent, 0.25 * turned(0.05, 1.3) + 0.75 * turned(-0.1, 1.25));
    has(bent, 0.25 * turned(-0.05, 1.3) + 0.75 * turned(-0.1, 1.15));
    // The same mesh comes back out of the glTF that is written.
    const Result<std::string> glb = write_document(*document, **format_named("glb"), {});
    REQUIRE_MESSAGE(glb.ok(), glb.message());
    ReadOptions again;
    again.file_name = "body.glb";
    const Result<Document> read = read_document(*glb, again);
    REQUIRE_MESSAGE(read.ok(), read.message());
    const std::vector<Vec3> same = skinned_corners(*read, compile(read->linkage).value(), last);
    for (const Vec3& corner : bent) has(same, corner);
  }
  set_fbx_reader(nullptr);
}
#endif
