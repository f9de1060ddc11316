import { createContext, use } from 'react';

export function useCommands(): Commands {
  const commands = use(CommandsContext);
  if (!commands) throw new Error('useCommands needs a CommandsProvider above it.');
  return commands;
}
export const CommandsContext = createContext<Commands | null>(null);

/** Commands that every page offers, by key, in the palette or in a menu. */
export interface Commands {
  scheme: 'light' | 'dark';
  toggleScheme: () => void;
  openPalette: () => void;
  openHelp: () => void;
  leave: () => void;
}
