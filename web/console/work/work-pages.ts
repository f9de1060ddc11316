import {
  IconId,
  IconKey,
  IconList,
  IconLogin2,
  IconMail,
  IconTable,
  IconTerminal2,
  IconUsers,
  IconUsersGroup,
} from '@tabler/icons-react';

/** The workshop, in the order of the rail; `letter` follows G on the keyboard. */
export const workPages = [
  { name: 'Data', to: '/app/$ref/data', icon: IconTable, letter: 'd' },
  { name: 'SQL', to: '/app/$ref/sql', icon: IconTerminal2, letter: 's' },
  { name: 'Users', to: '/app/$ref/users', icon: IconUsers, letter: 'u' },
  { name: 'Sessions', to: '/app/$ref/sessions', icon: IconId, letter: 'e' },
  { name: 'Mail', to: '/app/$ref/mail', icon: IconMail, letter: 'm' },
  { name: 'Keys', to: '/app/$ref/keys', icon: IconKey, letter: 'k' },
  { name: 'Sign-in methods', to: '/app/$ref/sign-in-methods', icon: IconLogin2, letter: 'i' },
  { name: 'Logs', to: '/app/$ref/logs', icon: IconList, letter: 'l' },
  { name: 'Team', to: '/app/$ref/team', icon: IconUsersGroup, letter: 't' },
] as const;
