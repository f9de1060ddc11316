import type { CallSetting } from '../../../../contract/specification-calls.ts';
import { TextTable, type WordsColumn } from '../list/text-table.tsx';

const columns: readonly WordsColumn<CallSetting>[] = [
  { name: 'Setting', look: 'name', cell: ({ key }) => <code>{key}</code>, title: ({ key }) => key },
  { name: 'Value', look: 'name', cell: ({ value }) => <code>{value}</code>, title: ({ value }) => value },
  { name: 'Meaning', look: 'words', cell: ({ meaning }) => meaning, title: ({ meaning }) => meaning },
  { name: 'Set in', look: 'wide', cell: ({ set_in }) => (set_in === 'code' ? 'default' : set_in) },
];

/** Table of the settings that affect responses. Settings that set a number are limits and are in chapter 9. */
export const SettingTable = ({ number, settings }: { number: string; settings: readonly CallSetting[] }) => (
  <TextTable
    number={number}
    caption="Settings for responses"
    what={['Settings of calls', 'settings']}
    columns={columns}
    rows={settings}
    keyOf={({ key }) => key}
  />
);
