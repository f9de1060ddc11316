import type { Layout } from './geometry.ts';
import type { Graph } from './graph.ts';
import { type Palette, svgOf } from './svg.ts';

const colours = [
  'paper',
  'paper-2',
  'raised',
  'rule-2',
  'edge',
  'ink',
  'ink-2',
  'ink-3',
  'blue',
  'error',
  'd-1',
  'd-2',
  'd-3',
  'd-4',
  'd-5',
  'd-6',
] as const satisfies readonly (keyof Palette)[];

/** Saves the diagram as an SVG file in the current colours. */
export function saveSvg(graph: Graph, layout: Layout, name: string): void {
  const style = getComputedStyle(document.documentElement);
  const palette = Object.fromEntries(colours.map((colour) => [colour, style.getPropertyValue(`--${colour}`).trim()]));
  save(svgOf(graph, layout, palette as Palette, name), 'image/svg+xml', `${name}.svg`);
}

function save(content: string, type: string, name: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
