/**
 * Returns the style that gives the main buttons of a page the color of an app.
 * @param color `#rrggbb`
 */
export function brandStyle(color: string): string {
  // The edge separates a button from the page where both have almost the same color.
  const edge = `color-mix(in srgb,var(--ink) 60%,${color})`;
  return `:root{--brand:${color};--on-brand:${textOn(color)};--brand-edge:${edge}}`;
}

/** Returns black or white, whichever has the higher contrast: at least 4.5 to 1 on every color. */
export function textOn(color: string): '#000000' | '#ffffff' {
  const luminance = luminanceOf(color);
  return (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) ? '#000000' : '#ffffff';
}

/** Returns the relative luminance of a color in sRGB, from 0 to 1 (WCAG 2.2). */
export function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
