const systems: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPod/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/CrOS/, 'ChromeOS'],
  [/Windows/, 'Windows'],
  [/Macintosh|Mac OS X/, 'macOS'],
  [/Linux|X11/, 'Linux'],
];

/**
 * Patterns of browsers. The first match counts, because the User-Agent of a browser also contains the names of browsers
 * further down.
 */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?(iOS)?\//, 'Edge'],
  [/\b(OPR|OPiOS|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\bHeadlessChrome\//, 'Headless Chrome'],
  [/\b(Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/\S+ .*\bSafari\//, 'Safari'],
];

const find = (names: readonly (readonly [RegExp, string])[], agent: string): string | undefined =>
  names.find(([pattern]) => pattern.test(agent))?.[1];

/**
 * Returns a short name for a User-Agent, such as "Firefox on Linux" or "curl". A client that is not a browser gets the
 * name that it sends. The result is a hint and not a proof, because a client can send any User-Agent.
 */
export function deviceWords(agent: string | null): string {
  const given = agent?.trim();
  if (!given) return 'unknown client';
  const browser = find(browsers, given);
  const system = find(systems, given);
  if (browser) return system ? `${browser} on ${system}` : browser;
  if (/^node\b/i.test(given)) return 'Node.js';
  const own = /^[^/\s(]{1,40}/.exec(given)?.[0];
  if (own === undefined || own === 'Mozilla') return system ? `a client on ${system}` : 'unknown client';
  return system ? `${own} on ${system}` : own;
}
