import type { ReactNode } from 'react';
import styles from './editor.module.css';
import type { NewKind } from './new-design.ts';

const line = (y: number, width: number, x = 8) => (
  <rect key={`${x} ${y}`} x={x} y={y} width={width} height="3" rx="1" />
);
const box = (x: number, y: number, width: number, height: number, isBlue = false) => (
  <rect key={`${x} ${y}`} x={x} y={y} width={width} height={height} rx="2" data-blue={isBlue || undefined} />
);

const drawings: Readonly<Record<NewKind, ReactNode>> = {
  list: [14, 24, 34, 44].map((y, place) => [line(y, 40, 20), line(y, 18, 70), box(8, y - 2, 7, 7, place === 0)]),
  board: [0, 1, 2].map((column) => [
    line(9, 18, 8 + column * 32),
    box(8 + column * 32, 16, 26, 13, column === 1),
    ...(column === 2 ? [] : [box(8 + column * 32, 33, 26, 13)]),
  ]),
  calendar: [
    ...[0, 1, 2, 3, 4].map((day) => box(8 + day * 19, 9, 16, 40)),
    <rect key="a" x="27" y="16" width="16" height="14" rx="2" data-blue />,
    <rect key="b" x="65" y="26" width="16" height="12" rx="2" data-blue />,
  ],
  gallery: [0, 1, 2].map((column) => [
    box(8 + column * 32, 9, 26, 22, column === 0),
    line(36, 20, 8 + column * 32),
    line(43, 12, 8 + column * 32),
  ]),
  form: [line(10, 18), box(8, 16, 88, 9), line(31, 22), box(8, 37, 88, 9), box(76, 50, 20, 7, true)],
  detail: [
    line(9, 50),
    line(19, 30),
    line(26, 56),
    line(33, 44),
    box(76, 9, 20, 30),
    line(46, 30),
    box(8, 51, 60, 5, true),
  ],
  dashboard: [
    box(8, 9, 26, 14, true),
    box(39, 9, 26, 14),
    box(70, 9, 26, 14),
    ...[22, 14, 18, 8, 12].map((height, bar) => box(8 + bar * 10, 54 - height, 7, height)),
    <path key="line" d="M64 50 L74 42 L84 46 L96 32" />,
  ],
  'public page': [line(12, 60), line(20, 88), line(27, 80), line(34, 70), box(8, 44, 26, 9, true), box(38, 44, 26, 9)],
};

/** A small drawing of a kind of screen. */
export const KindDrawing = ({ kind }: { kind: NewKind }) => (
  <svg className={styles.drawing} viewBox="0 0 104 60" aria-hidden="true">
    {drawings[kind]}
  </svg>
);
