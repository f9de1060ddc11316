import type { StatisticsWindow } from '../../../contract/observed.ts';
import { Segmented } from '../../ui/segmented.tsx';

/** The headings of the columns that count requests and errors, by time window. */
export const windowHeads: Readonly<Record<StatisticsWindow, string>> = { hour: '1 h', day: '24 h', week: '7 d' };

const options: readonly (readonly [StatisticsWindow, string])[] = [
  ['hour', windowHeads.hour],
  ['day', windowHeads.day],
  ['week', windowHeads.week],
];

/** Chooses the time window of the figures. */
export const WindowChoice = ({
  value,
  onChange,
}: {
  value: StatisticsWindow;
  onChange: (window: StatisticsWindow) => void;
}) => <Segmented label="Counted over" value={value} options={options} onChange={onChange} />;
