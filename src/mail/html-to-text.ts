const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

const decode = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,5}));/gi, (all, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? all;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });

const BLOCKS = /^\/?(?:p|div|tr|table|h[1-6]|ul|ol|section|header|footer|blockquote|hr)$/;

/**
 * Returns the plain text of a mail for clients that show no HTML: paragraphs, and the URL after the text of each link.
 */
export function htmlToText(html: string): string {
  const lines: string[] = [''];
  let link = '';
  let hidden = '';
  const add = (text: string) => {
    lines[lines.length - 1] += text;
  };
  for (const piece of html.split(/(<[^<>]*>)/)) {
    const [, name = '', attributes = ''] = /^<([/!]?[a-z][\w:-]*|!--)([\s\S]*)>$/i.exec(piece) ?? [];
    const element = name.toLowerCase();
    if (hidden !== '') {
      if (element === `/${hidden}`) hidden = '';
    } else if (element === '') add(decode(piece.replace(/\s+/g, ' ')));
    else if (element === 'style' || element === 'script' || element === 'title' || element === 'head') hidden = element;
    else if (element === 'br') lines.push('');
    else if (element === 'li') lines.push('- ');
    else if (element === 'a')
      link = decode(/\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(attributes)?.slice(1).join('') ?? '');
    else if (element === '/a') {
      if (link !== '' && !lines.at(-1)?.includes(link)) add(`: ${link}`);
      link = '';
    } else if (BLOCKS.test(element)) lines.push('', '');
  }
  return lines
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
