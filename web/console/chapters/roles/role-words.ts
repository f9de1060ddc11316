import type { RoleEntry } from '../../../../contract/specification-roles.ts';
import { counted } from '../../format/format.ts';

/** What a role means, and how many members have it: “2 members · Answers tickets.” */
export const roleWords = ({ meaning, figures }: RoleEntry): string =>
  figures ? `${counted(figures.members, 'member')} · ${meaning}` : meaning;
