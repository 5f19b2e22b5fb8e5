#include "picture.hpp"

#include <fmt/format.h>

#include <cmath>

#include "common.hpp"

#ifdef ARMATURE_HAS_PNG
#include <cairo-pdf.h>
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
cairo_status_t append_bytes(void* out, const unsigned char* data, unsigned int size) {
  static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(data), size);
  return CAIRO_STATUS_SUCCESS;
}

/// Draws the picture on the surface, which it then owns.
void render(const Svg& svg, cairo_surface_t* surface, double width, double height, const char* format) {
  const std::string text = svg.str();
  GError* error = nullptr;
  RsvgHandle* handle =
      rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(text.data()), static_cast<gsize>(text.size()), &error);
  bool drawn = false;
  if (handle != nullptr) {
    cairo_t* context = cairo_create(surface);
    cairo_set_source_rgb(context, 1, 1, 1);
    cairo_paint(context);
    const RsvgRectangle all{0.0, 0.0, width, height};
    drawn = rsvg_handle_render_document(handle, context, &all, &error) != 0;
    cairo_destroy(context);
    g_object_unref(handle);
  }
  const std::string why = error != nullptr ? error->message : "unknown";
  g_clear_error(&error);
  if (drawn) return;
  cairo_surface_destroy(surface);
  throw BadInput{fmt::format("The picture could not be turned into {} ({}); write .svg instead.", format, why)};
}

std::string png_of(const Svg& svg, double scale) {
  const double width = std::ceil(svg.width() * scale);
  const double height = std::ceil(svg.height() * scale);
  if (!(width >= 1 && height >= 1 && width <= 32000 && height <= 32000)) {
    throw BadInput{
        fmt::format("A PNG of {:.0f} x {:.0f} pixels cannot be made; take a smaller --pixel-ratio.", width, height)};
  }
  cairo_surface_t* surface =
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width), static_cast<int>(height));
  render(svg, surface, width, height, "PNG");
  std::string png;
  const bool written = cairo_surface_write_to_png_stream(surface, append_bytes, &png) == CAIRO_STATUS_SUCCESS;
  cairo_surface_destroy(surface);
  if (!written) throw BadInput{"The picture could not be turned into PNG; write .svg instead."};
  return png;
}

std::string pdf_of(const Svg& svg) {
  constexpr double kPoints = 0.75;  // of an SVG unit
  const double width = svg.width() * kPoints;
  const double height = svg.height() * kPoints;
  std::string pdf;
  cairo_surface_t* surface = cairo_pdf_surface_create_for_stream(append_bytes, &pdf, width, height);
  // The same bytes on every day.
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00");
  render(svg, surface, width, height, "PDF");
  cairo_surface_finish(surface);
  const bool written = cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS;
  cairo_surface_destroy(surface);
  if (!written) throw BadInput{"The picture could not be turned into PDF; write .svg instead."};
  return pdf;
}
#else
[[noreturn]] std::string png_of(const Svg&, double) {
  throw BadInput{
      "This program was built without PNG and PDF (librsvg was missing). Write .svg, or install librsvg2-dev and build "
      "again."};
}
[[noreturn]] std::string pdf_of(const Svg& svg) { png_of(svg, 1.0); }
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
  return extension == "svg" || extension == "png" || extension == "pdf";
}

void write_picture(const std::string& path, const Svg& svg, double scale) {
  const std::string extension = picture_extension(path);
  write_output(path, extension == "png" ? png_of(svg, scale) : extension == "pdf" ? pdf_of(svg) : svg.str());
}

}  // namespace armature::cli
