/** Characters of a tag that are read to find the name of its element. */
const NAME_CHARACTERS = 64;

const SPECIAL: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

/** Escapes text for HTML content or a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (one) => SPECIAL[one] ?? one);

const URL_ATTRIBUTES: ReadonlySet<string> = new Set([
  ...['href', 'src', 'action', 'formaction', 'background', 'poster', 'cite', 'longdesc', 'data', 'xlink:href'],
]);
const ALLOWED_SCHEME = /^(?:https?|mailto|tel):/i;
const SCHEME = /^[^/?#]*:/;

type Place =
  | { in: 'text' }
  | { in: 'comment' }
  /** Inside of the element `<style>` or `<script>`. */
  | { in: 'raw'; element: string }
  | { in: 'tag'; element: string; attribute: string }
  | { in: 'attribute'; element: string; attribute: string; quote: string; isEmpty: boolean; isQuery: boolean };

/** Builds HTML from parts of a template and from values, which are escaped for their position. */
export class HtmlWriter {
  result = '';
  #place: Place = { in: 'text' };

  /** Adds a part of the template unchanged. */
  text(text: string): void {
    this.result += text;
    for (let at = 0; at < text.length; ) at = this.#step(text, at);
  }

  /** Adds a value, escaped for its position. */
  value(value: string): void {
    const place = this.#place;
    const clean = value.replaceAll('\0', '');
    switch (place.in) {
      case 'text':
        this.result += escapeHtml(clean);
        return;
      case 'comment':
        return;
      case 'attribute':
        if (URL_ATTRIBUTES.has(place.attribute)) this.#url(place, clean);
        else this.result += place.attribute.startsWith('on') ? '' : escapeHtml(clean);
        return;
      default:
        // In a style, a script, a name or an unquoted attribute, only characters without a special meaning are kept.
        this.result += clean.replace(/[^\p{L}\p{N} #%._-]/gu, '');
    }
  }

  /**
   * Adds a value inside a URL attribute. At the start of the URL, a value with an unsafe scheme is replaced by `#`.
   * After `?` or `#`, the value is encoded as a part of the query.
   */
  #url(place: { isEmpty: boolean; isQuery: boolean }, value: string): void {
    if (place.isEmpty) {
      const isUnsafe = SCHEME.test(value.trim()) && !ALLOWED_SCHEME.test(value.trim());
      this.result += escapeHtml(isUnsafe ? '#' : encodeLoose(value.trim()));
    } else if (place.isQuery) this.result += escapeHtml(encodePart(value));
    else this.result += escapeHtml(encodeLoose(value));
    place.isQuery ||= place.isEmpty && /[?#]/.test(value);
    place.isEmpty &&= value.trim() === '';
  }

  #step(text: string, at: number): number {
    const place = this.#place;
    switch (place.in) {
      case 'text': {
        const open = text.indexOf('<', at);
        if (open === -1) return text.length;
        if (text.startsWith('<!--', open)) {
          this.#place = { in: 'comment' };
          return open + 4;
        }
        const [tag, element = ''] = /^<(\/?[a-z][^\s/>]*)/i.exec(text.slice(open, open + NAME_CHARACTERS)) ?? [''];
        if (tag !== '') this.#place = { in: 'tag', element: element.toLowerCase(), attribute: '' };
        return open + Math.max(1, tag.length);
      }
      case 'comment': {
        const close = text.indexOf('-->', at);
        if (close === -1) return text.length;
        this.#place = { in: 'text' };
        return close + 3;
      }
      case 'raw': {
        const close = text.toLowerCase().indexOf(`</${place.element}`, at);
        if (close === -1) return text.length;
        this.#place = { in: 'tag', element: `/${place.element}`, attribute: '' };
        return close + 2 + place.element.length;
      }
      case 'attribute': {
        const close = text.indexOf(place.quote, at);
        const part = text.slice(at, close === -1 ? undefined : close);
        place.isEmpty &&= part.trim() === '';
        place.isQuery ||= /[?#]/.test(part);
        if (close === -1) return text.length;
        this.#place = { in: 'tag', element: place.element, attribute: '' };
        return close + 1;
      }
      case 'tag':
        return this.#inTag(place, text, at);
    }
  }

  #inTag(place: { element: string; attribute: string }, text: string, at: number): number {
    const one = text[at] ?? '';
    if (one === '>') {
      const isRaw = place.element === 'style' || place.element === 'script';
      this.#place = isRaw ? { in: 'raw', element: place.element } : { in: 'text' };
    } else if (one === '"' || one === "'") {
      const attribute = place.attribute.split(/[ =]/)[0]?.toLowerCase() ?? '';
      this.#place = { in: 'attribute', element: place.element, attribute, quote: one, isEmpty: true, isQuery: false };
    } else if (/[\s/]/.test(one)) place.attribute = `${place.attribute.trimEnd()} `;
    else if (one !== '=' && place.attribute.endsWith(' ') && !place.attribute.endsWith('= ')) place.attribute = one;
    else place.attribute = one === '=' ? `${place.attribute.trimEnd()}=` : place.attribute + one;
    return at + 1;
  }
}

/** Percent-encodes characters that are invalid in a URL. Existing encodings are kept. */
const encodeLoose = (value: string): string =>
  wellFormed(value).replace(/[^\w\-.~!*'();:@&=+$,/?#[\]%]/gu, encodeURIComponent);

const encodePart = (value: string): string => encodeURIComponent(wellFormed(value)).replaceAll("'", '%27');

/** Replaces unpaired surrogates, which a URL cannot contain. */
const wellFormed = (value: string): string => value.replace(/\p{Cs}/gu, '\uFFFD');
