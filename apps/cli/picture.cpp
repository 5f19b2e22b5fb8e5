#include "picture.hpp"

#include <fmt/format.h>

#include <cmath>

#include "common.hpp"

#ifdef ARMATURE_HAS_PNG
#include <librsvg/rsvg.h>
#endif

namespace armature::cli {
namespace {

std::string picture_extension(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  std::string extension = dot == std::string::npos ? "" : path.substr(dot + 1);
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

#ifdef ARMATURE_HAS_PNG
cairo_status_t append_png(void* out, const unsigned char* data, unsigned int size) {
  static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(data), size);
  return CAIRO_STATUS_SUCCESS;
}

std::string png_of(const Svg& svg, double scale) {
  const std::string text = svg.str();
  const double width = std::ceil(svg.width() * scale);
  const double height = std::ceil(svg.height() * scale);
  if (!(width >= 1 && height >= 1 && width <= 32000 && height <= 32000)) {
    throw BadInput{
        fmt::format("A PNG of {:.0f} x {:.0f} pixels cannot be made; take a smaller --scale.", width, height)};
  }
  GError* error = nullptr;
  RsvgHandle* handle =
      rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(text.data()), static_cast<gsize>(text.size()), &error);
  if (handle == nullptr) {
    const std::string why = error != nullptr ? error->message : "unknown";
    g_clear_error(&error);
    throw BadInput{fmt::format("The picture could not be turned into PNG: {}.", why)};
  }
  cairo_surface_t* surface =
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width), static_cast<int>(height));
  cairo_t* context = cairo_create(surface);
  cairo_set_source_rgb(context, 1, 1, 1);
  cairo_paint(context);
  const RsvgRectangle all{0.0, 0.0, width, height};
  const bool drawn = rsvg_handle_render_document(handle, context, &all, &error) != 0;
  std::string png;
  const bool written = drawn && cairo_surface_write_to_png_stream(surface, append_png, &png) == CAIRO_STATUS_SUCCESS;
  g_clear_error(&error);
  cairo_destroy(context);
  cairo_surface_destroy(surface);
  g_object_unref(handle);
  if (!written) throw BadInput{"The picture could not be turned into PNG; write .svg instead."};
  return png;
}
#else
std::string png_of(const Svg&, double) {
  throw BadInput{
      "This program was built without PNG (librsvg was missing). Write .svg, or install librsvg2-dev and build again."};
}
#endif

}  // namespace

bool has_png() {
#ifdef ARMATURE_HAS_PNG
  return true;
#else
  return false;
#endif
}

bool is_picture(const std::string& path) {
  const std::string extension = picture_extension(path);
  return extension == "svg" || extension == "png";
}

void write_picture(const std::string& path, const Svg& svg, double scale) {
  write_output(path, picture_extension(path) == "png" ? png_of(svg, scale) : svg.str());
}

}  // namespace armature::cli
