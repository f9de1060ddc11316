import { expect, it } from 'vitest';
import type { Layout } from './geometry.ts';
import type { Box, Graph } from './graph.ts';
import { type Palette, svgOf } from './svg.ts';

const palette = new Proxy({}, { get: (_, name) => `#${String(name)}` }) as Palette;
const graph: Graph = {
  boxes: [
    {
      id: 'a',
      name: 'a <b> & "c"',
      figure: '1,240',
      remark: '2 fields',
      colour: 'd-1',
      look: 'usual',
      group: null,
      says: '',
    },
  ],
  edges: [{ id: 'e', from: 'a', to: 'a', label: 'solve', figure: '7', weight: 2, bad: true, says: '' }],
  alone: '',
  ordered: false,
};
const layout: Layout = {
  width: 200,
  height: 100,
  boxes: new Map([['a', { x: 0, y: 0, width: 152, height: 64 }]]),
  groups: [],
  edges: new Map([
    [
      'e',
      {
        points: [
          [0, 0],
          [40, 0],
        ],
        label: [0, 0],
      },
    ],
  ]),
};

it('svgOf writes XML with names, figures and edges, whatever characters the names contain', () => {
  const svg = svgOf(graph, layout, palette, 'a < b');
  expect(svg).toContain('a &lt;b&gt; &amp; &quot;c&quot;');
  expect(svg).toContain('<title>a &lt; b</title>');
  expect(svg).toContain('1,240');
  expect(svg).toMatch(/solve<tspan[^>]*>7<\/tspan>/);
  expect(svg).toContain('stroke="#error" stroke-width="2"');
});

it('svgOf writes the word about before an estimated number, also in boxes that have only one line', () => {
  const boxes = graph.boxes.map((box) => ({ ...box, isEstimate: true }));
  expect(svgOf({ ...graph, boxes }, layout, palette, '')).toMatch(/>about<\/text><text[^>]*>1,240</);
  const many = Array.from({ length: 41 }, (_, at) => ({ ...boxes[0], id: at === 0 ? 'a' : `b${at}` }) as Box);
  expect(svgOf({ ...graph, boxes: many }, layout, palette, '')).toContain('>about 1,240<');
  expect(svgOf(graph, layout, palette, '')).not.toContain('about');
});

it('svgOf omits boxes and edges that have no position in the layout', () => {
  const svg = svgOf(graph, { ...layout, boxes: new Map(), edges: new Map() }, palette, '');
  expect(svg).not.toContain('solve');
});
