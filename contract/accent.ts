/**
 * Returns the hue of a colour in OKLCH, in degrees (CSS Color Module Level 4, section 9.2); null for a colour without a
 * hue. The pages use only the hue of the accent colour. Its lightness and chroma are fixed, so that texts keep their
 * contrast. Pure.
 * @param colour Six hexadecimal digits, for example `#1f6feb`.
 */
export function hueOf(colour: string): number | null {
  const [red, green, blue] = linearLight(colour);
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const b = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  if (Math.hypot(a, b) < 0.01) return null;
  return Math.round(((Math.atan2(b, a) * 180) / Math.PI + 360) % 360);
}

/** Luminance of a colour on which dark and white text have the same contrast (WCAG 2.2, "contrast ratio"). */
const MIDDLE_LUMINANCE = 0.179;

/** Returns the colour of text that can be read on a colour of six hexadecimal digits. Pure. */
export function textOn(colour: string): string {
  const [red, green, blue] = linearLight(colour);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > MIDDLE_LUMINANCE ? '#1b1f24' : '#ffffff';
}

/** Returns red, green and blue of an sRGB colour in linear light, from 0 to 1. */
function linearLight(colour: string): [red: number, green: number, blue: number] {
  const part = (at: number): number => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [part(1), part(3), part(5)];
}
