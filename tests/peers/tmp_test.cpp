#include <doctest/doctest.h>

#include <dart/dart.hpp>
#include <dart/utils/urdf/urdf.hpp>
#include <kdl/chain.hpp>
#include <kdl_parser/kdl_parser.hpp>
TEST_CASE("k") {
  KDL::Tree t;
  CHECK(kdl_parser::treeFromString("<robot name='a'><link name='b'/></robot>", t));
  dart::utils::DartLoader l;
  CHECK(dart::dynamics::Skeleton::create("x"));
}
