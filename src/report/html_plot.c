/* This file plots studies; nothing is fetched, and every mark says what it is. */
#include "report/html_plot.h"

#include <math.h>

#define WIDTH 720.0
#define LEFT  84.0
#define TOP   14.0
#define WIDE  610.0
#define HIGH  300.0
#define TICKS 5
#define LANE  20.0

#define LANES_LEFT 220.0 /* left end of the bars; names stand before them */
#define LANES_WIDE 400.0 /* width of the longest bar; its number stands after it */

/* Ticks stand at multiples of a round number. */
struct axis {
    double low, high, step;
};

/* The smallest of 1, 2, 2.5 and 5 times a power of ten that covers `span` in at most TICKS steps. */
static double round_step(double span)
{
    static const double ROUND[] = {1, 2, 2.5, 5, 10};
    const double power = pow(10, floor(log10(span / TICKS)));
    size_t i = 0;
    while (i < 4 && ROUND[i] * power * TICKS < span * (1 - 1e-9)) i++;
    return ROUND[i] * power;
}

/* An axis starts at zero, so that a mark at half the height has half the value. */
static struct axis axis_of(double low, double high)
{
    struct axis a = {fmin(0, low), high, 1};
    if (!(a.high > a.low)) a.high = a.low + 1;
    a.step = round_step(a.high - a.low);
    a.low = a.step * floor(a.low / a.step + 1e-9);
    a.high = a.step * ceil(a.high / a.step - 1e-9);
    return a;
}

static double place(struct axis a, double value, double length)
{
    return length * (value - a.low) / (a.high - a.low);
}

static void add_frame(struct orr_text *text, struct axis x, struct axis y)
{
    const int across = (int)((x.high - x.low) / x.step + 0.5), up = (int)((y.high - y.low) / y.step + 0.5);
    for (int i = 0; i <= across; i++) {
        const double value = x.low + x.step * i, at = LEFT + place(x, value, WIDE);
        orr_text_add(text, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", at, TOP, TOP + HIGH);
        orr_text_add(text, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.6g</text>\n", at, TOP + HIGH + 16,
                     fabs(value) < 1e-9 * x.step ? 0 : value);
    }
    for (int i = 0; i <= up; i++) {
        const double value = y.low + y.step * i, at = TOP + HIGH - place(y, value, HIGH);
        orr_text_add(text, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>", LEFT, at, LEFT + WIDE);
        orr_text_add(text, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>\n", LEFT - 6, at + 4,
                     fabs(value) < 1e-9 * y.step ? 0 : value);
    }
}

static void add_names(struct orr_text *text, const char *x_name, const char *y_name)
{
    orr_text_add(text, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">", LEFT + WIDE / 2, TOP + HIGH + 36);
    orr_html_text(text, x_name);
    orr_text_add(text, "</text><text transform=\"translate(13 %g) rotate(-90)\" text-anchor=\"middle\">",
                 TOP + HIGH / 2);
    orr_html_text(text, y_name);
    orr_text_add(text, "</text>\n");
}

/* Opens a picture whose axes hold all points. */
static void start(struct orr_text *text, const char *x_name, const char *y_name, const struct orr_html_point *points,
                  size_t n_points, struct axis *x, struct axis *y)
{
    double low[2] = {0, 0}, high[2] = {0, 0};
    for (size_t i = 0; i < n_points; i++) {
        low[0] = fmin(low[0], points[i].x);
        low[1] = fmin(low[1], points[i].y);
        high[0] = fmax(high[0], points[i].x);
        high[1] = fmax(high[1], points[i].y);
    }
    *x = axis_of(low[0], high[0]);
    *y = axis_of(low[1], high[1]);
    orr_html_picture(text, WIDTH, TOP + HIGH + 44, y_name);
    add_frame(text, *x, *y);
    add_names(text, x_name, y_name);
}

static void add_marks(struct orr_text *text, struct axis x, struct axis y, const struct orr_html_point *points,
                      size_t n_points)
{
    for (size_t i = 0; i < n_points; i++) {
        orr_text_add(text, "<circle class=\"mark\" style=\"--h:%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"><title>",
                     points[i].good ? 210 : 0, LEFT + place(x, points[i].x, WIDE),
                     TOP + HIGH - place(y, points[i].y, HIGH));
        orr_html_text(text, points[i].title);
        orr_text_add(text, "</title></circle>\n");
    }
}

static void add_line(struct orr_text *text, struct axis x, struct axis y, const struct orr_html_point *points,
                     size_t n_points)
{
    orr_text_add(text, "<path class=\"curve\" d=\"");
    for (size_t i = 0; i < n_points; i++)
        orr_text_add(text, "%c%.1f %.1f", i == 0 ? 'M' : 'L', LEFT + place(x, points[i].x, WIDE),
                     TOP + HIGH - place(y, points[i].y, HIGH));
    orr_text_add(text, "\"/>\n");
}

void orr_html_points(struct orr_text *text, const char *x_name, const char *y_name, const struct orr_html_point *points,
                     size_t n_points)
{
    struct axis x, y;
    start(text, x_name, y_name, points, n_points, &x, &y);
    add_marks(text, x, y, points, n_points);
    orr_html_picture_end(text);
}

void orr_html_curve(struct orr_text *text, const char *x_name, const char *y_name, const struct orr_html_point *points,
                    size_t n_points, bool marks)
{
    struct axis x, y;
    start(text, x_name, y_name, points, n_points, &x, &y);
    add_line(text, x, y, points, n_points);
    if (marks) add_marks(text, x, y, points, n_points);
    orr_html_picture_end(text);
}

void orr_html_effects(struct orr_text *text, const char *title, const struct orr_html_effect *effects, size_t n_effects)
{
    double most = 0;
    for (size_t i = 0; i < n_effects; i++) most = fmax(most, fabs(effects[i].value));
    if (!(most > 0)) return;
    const double zero = 470, scale = 180 / most;
    orr_html_element(text, "h2", "", title);
    orr_html_picture(text, WIDTH, LANE * (double)n_effects + 4, title);
    for (size_t i = 0; i < n_effects; i++) {
        const double value = effects[i].value, down = LANE * (double)i;
        orr_text_add(text, "<text x=\"0\" y=\"%.1f\">", down + 14);
        orr_html_text(text, effects[i].name);
        orr_text_add(
            text, "</text><rect class=\"mark\" style=\"--h:%d\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%g\"/>",
            value < 0 ? 130 : 0, zero + fmin(0, value * scale), down + 3, fabs(value) * scale, LANE - 6);
        orr_text_add(text, "<text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">%+.2f %%</text>\n", WIDTH, down + 14,
                     100 * value);
    }
    orr_text_add(text, "<path class=\"equal\" d=\"M%g 0V%.1f\"/>\n", zero, LANE * (double)n_effects);
    orr_html_picture_end(text);
}

/* ---------------------------------------------------------------- lanes */

static double sum_of(const struct orr_html_lane *lane, size_t n_parts)
{
    double sum = 0;
    for (size_t i = 0; i < n_parts; i++) sum += lane->values[i];
    return sum;
}

static void add_legend(struct orr_text *text, const char *const *parts, size_t n_parts)
{
    orr_text_add(text, "<p class=\"legend\">");
    for (size_t i = 0; i < n_parts; i++) {
        orr_text_add(text, "<label><i style=\"--h:%d\"></i> ", orr_html_hue(i));
        orr_html_text(text, parts[i]);
        orr_text_add(text, "</label>");
    }
    orr_text_add(text, "</p>\n");
}

/* Prints four digits, without an exponent below a million. */
static void add_number(struct orr_text *text, double value, const char *unit)
{
    orr_text_add(text, value >= 1000 && value < 1e6 ? "%.0f %s" : "%.4g %s", value, unit);
}

static void add_lane(struct orr_text *text, const struct orr_html_lane *lane, const char *unit,
                     const char *const *parts, size_t n_parts, double down, double scale)
{
    double at = LANES_LEFT;
    orr_text_add(text, "<text x=\"0\" y=\"%.1f\">", down + 14);
    orr_html_text(text, lane->name);
    orr_text_add(text, "</text>");
    for (size_t i = 0; i < n_parts; i++) {
        const double wide = lane->values[i] * scale;
        if (!(wide > 0)) continue;
        orr_text_add(text,
                     "<rect class=\"mark\" style=\"--h:%d\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%g\"><title>",
                     orr_html_hue(i), at, down + 3, wide, LANE - 6);
        orr_html_text(text, parts[i]);
        orr_text_add(text, ": ");
        add_number(text, lane->values[i], unit);
        orr_text_add(text, "</title></rect>");
        at += wide;
    }
    orr_text_add(text, "<text x=\"%.1f\" y=\"%.1f\">", at + 6, down + 14);
    add_number(text, sum_of(lane, n_parts), unit);
    orr_text_add(text, "</text>\n");
}

void orr_html_lanes(struct orr_text *text, const char *title, const char *unit, const char *const *parts,
                    size_t n_parts, const struct orr_html_lane *lanes, size_t n_lanes)
{
    double most = 0;
    for (size_t i = 0; i < n_lanes; i++) most = fmax(most, sum_of(&lanes[i], n_parts));
    if (!(most > 0)) return;
    orr_html_element(text, "h2", "", title);
    if (n_parts > 1) add_legend(text, parts, n_parts);
    orr_html_picture(text, WIDTH, LANE * (double)n_lanes + 4, title);
    for (size_t i = 0; i < n_lanes; i++)
        add_lane(text, &lanes[i], unit, parts, n_parts, LANE * (double)i, LANES_WIDE / most);
    orr_html_picture_end(text);
}
