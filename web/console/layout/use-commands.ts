import { createContext, use } from 'react';

export function useCommands(): Commands {
  const commands = use(CommandsContext);
  if (!commands) throw new Error('useCommands needs a CommandsProvider above it.');
  return commands;
}
export const CommandsContext = createContext<Commands | null>(null);

/** Commands of every page: by key, from the palette, from a menu. */
export interface Commands {
  scheme: 'light' | 'dark';
  toggleScheme: () => void;
  openPalette: () => void;
  openHelp: () => void;
  leave: () => void;
}
