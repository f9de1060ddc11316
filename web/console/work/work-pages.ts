import { IconId, IconList, IconTable, IconTerminal2, IconUsers } from '@tabler/icons-react';

/** The workshop, in the order of the rail; `letter` follows G on the keyboard. */
export const workPages = [
  { name: 'Data', to: '/app/$ref/data', icon: IconTable, letter: 'd' },
  { name: 'SQL', to: '/app/$ref/sql', icon: IconTerminal2, letter: 's' },
  { name: 'Users', to: '/app/$ref/users', icon: IconUsers, letter: 'u' },
  { name: 'Sessions', to: '/app/$ref/sessions', icon: IconId, letter: 'e' },
  { name: 'Logs', to: '/app/$ref/logs', icon: IconList, letter: 'l' },
] as const;
