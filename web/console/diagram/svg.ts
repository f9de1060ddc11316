import { arrowHead, type Layout, roundedPath, shortened } from './geometry.ts';
import { type Box, type Colour, type Edge, type Graph, isCompact, labelSize } from './graph.ts';

/** The colours of a drawing as CSS values. */
export type Palette = Record<
  'paper' | 'paper-2' | 'raised' | 'rule-2' | 'edge' | 'ink' | 'ink-2' | 'ink-3' | 'blue' | 'error' | Colour,
  string
>;

const sans = "'IBM Plex Sans', system-ui, sans-serif";
const serif = 'Newsreader, Georgia, serif';
const margin = 16;

/** Writes a laid-out diagram as a self-contained SVG image. Pure. */
export function svgOf(graph: Graph, layout: Layout, palette: Palette, title: string): string {
  const compact = isCompact(graph);
  const width = Math.ceil(layout.width + 2 * margin);
  const height = Math.ceil(layout.height + 2 * margin);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-margin} ${-margin} ${width} ${height}">`,
    `<title>${escaped(title)}</title>`,
    `<rect x="${-margin}" y="${-margin}" width="${width}" height="${height}" fill="${palette.paper}"/>`,
    ...layout.groups.map(
      (group) =>
        `<rect x="${group.x}" y="${group.y}" width="${group.width}" height="${group.height}" fill="${palette['paper-2']}"/>` +
        text(group.title, group.x + 16, group.y + 29, { font: serif, size: 17, fill: palette['ink-2'] }),
    ),
    ...graph.edges.map((edge) => edgeOf(edge, layout, palette)),
    ...graph.boxes.map((box) => boxOf(box, layout, palette, compact)),
    '</svg>',
    '',
  ].join('\n');
}

function edgeOf(edge: Edge, layout: Layout, palette: Palette): string {
  const drawn = layout.edges.get(edge.id);
  const head = drawn && arrowHead(drawn.points);
  if (!drawn || !head) return '';
  const colour = edge.bad ? palette.error : palette.edge;
  const words = drawn.label
    ? text(
        edge.label,
        drawn.label[0] + labelSize(edge).width / 2,
        drawn.label[1] + 12,
        { size: 12, fill: edge.bad ? palette.error : palette.ink, anchor: 'middle' },
        edge.figure === null
          ? ''
          : `<tspan dx="5" font-size="11" fill="${palette['ink-3']}">${escaped(edge.figure)}</tspan>`,
      )
    : '';
  return (
    `<path d="${roundedPath(shortened(drawn.points, 6), 8)}" fill="none" stroke="${colour}" stroke-width="${edge.weight}"/>` +
    `<path d="M-8 -4L0 0L-8 4z" fill="${colour}" transform="translate(${head.at.join()}) rotate(${head.turn})"/>${words}`
  );
}

function boxOf(box: Box, layout: Layout, palette: Palette, compact: boolean): string {
  const place = layout.boxes.get(box.id);
  if (!place) return '';
  const { x, y, width, height } = place;
  if (box.look === 'start') {
    return `<circle cx="${x + width / 2}" cy="${y + height / 2}" r="${width / 2}" fill="${palette.ink}"/>`;
  }
  const middle = y + height / 2;
  const right = x + width - 10;
  const name = { size: compact ? 12 : 13, weight: 600, fill: palette.ink };
  const small = { size: 11, fill: palette['ink-3'] };
  const ends = { ...small, anchor: 'end' as const };
  const figure = box.figure ?? '';
  const said = box.isEstimate ? `about ${figure}` : figure;
  const fits = cut(box.name, (width - 24 - (compact ? said.length * 6 : 0)) / 7);

  return [
    `<rect x="${x + 0.5}" y="${y + 0.5}" width="${width - 1}" height="${height - 1}" fill="${palette.raised}" stroke="${palette['rule-2']}"${box.look === 'outside' ? ' stroke-dasharray="4 3"' : ''}/>`,
    box.look === 'final'
      ? `<rect x="${x + 3.5}" y="${y + 3.5}" width="${width - 7}" height="${height - 7}" fill="none" stroke="${palette['rule-2']}"/>`
      : '',
    box.look === 'outside'
      ? ''
      : `<rect x="${x}" y="${y}" width="4" height="${height}" fill="${palette[box.colour]}"/>`,
    ...(compact
      ? [text(fits, x + 14, middle + 4, name), text(said, right, middle + 4, ends)]
      : [
          text(fits, x + 14, middle - 10, name),
          text(box.isEstimate ? 'about' : '', x + 14, middle + 19, small),
          text(figure, x + (box.isEstimate ? 46 : 14), middle + 19, { font: serif, size: 24, fill: palette.ink }),
          box.figure === null
            ? text(box.remark, x + 14, middle + 16, small)
            : text(box.remark, right, middle + 18, ends),
        ]),
  ].join('');
}

interface Type {
  font?: string;
  size: number;
  weight?: number;
  fill: string;
  anchor?: 'middle' | 'end';
}

/** @param after SVG elements that follow the words in the same line. */
const text = (
  words: string,
  x: number,
  y: number,
  { font = sans, size, weight = 400, fill, anchor }: Type,
  after = '',
) =>
  words === ''
    ? ''
    : `<text x="${x}" y="${y}" font-family="${font}" font-size="${size}" font-weight="${weight}" fill="${fill}"${anchor ? ` text-anchor="${anchor}"` : ''}>${escaped(words)}${after}</text>`;

const cut = (words: string, max: number): string => (words.length > max ? `${words.slice(0, max - 1)}…` : words);

const escaped = (words: string): string =>
  words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
