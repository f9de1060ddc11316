import type { BackupFigures } from '../../../../contract/backup.ts';
import { serverRights } from '../../../../contract/server-rights.ts';
import type { LimitLine, LimitsChapter } from '../../../../contract/specification.ts';
import { code, count, inline, table } from './escape.ts';

/**
 * Returns chapter 9 in Markdown: the limits that the app sets, one line for those that the node sets for every app, and
 * the number of limits that have their default value. The JSON contains all limits.
 */
export function limitsMarkdown({ limits, figures, missing_rights: missing }: LimitsChapter): string {
  const set = limits.filter((limit) => limit.set_in !== 'code');
  const own = set.filter((limit) => !isOfNode(limit));
  const ofNode = set.filter(isOfNode);
  const rest = limits.length - set.length;
  const parts: string[] = [];
  if (own.length > 0) {
    parts.push(table(['Limit', 'Value', 'Default', 'What it bounds', 'Set in', 'Changed by'], own.map(row)));
  }
  if (ofNode.length > 0) parts.push(`The node sets for every app: ${ofNode.map(brief).join(', ')}.`);
  parts.push(`${count(rest, 'limit')} ${rest === 1 ? 'has its' : 'have their'} default: ${code('docs/limits.md')}.`);
  if (missing) {
    const lines = missing.map(
      (right) => `- The node cannot ${serverRights[right].lacks}. ${serverRights[right].effect}`,
    );
    parts.push(['The PostgreSQL server gives the node fewer rights than a superuser has:', ...lines].join('\n'));
  }
  if (figures) parts.push(backupLine(figures));
  return parts.join('\n\n');
}

function backupLine({ backup_at, complete_at, drill }: BackupFigures): string {
  const tried =
    drill && `The restore of ${drill.at} ${drill.is_passed ? 'agreed with' : 'differed from'} the running node.`;
  return [
    `The backups of the node have all changes until ${complete_at ?? 'no time yet'}.`,
    `The last base backup is of ${backup_at ?? 'no time yet'}.`,
    tried ?? 'No restore was tried yet.',
  ].join(' ');
}

/** Returns true for a limit that the node sets for every app, by its environment or as the superuser of its server. */
const isOfNode = ({ set_in, change }: LimitLine): boolean =>
  set_in === 'environment' || (set_in === 'database' && change === null);

const brief = ({ id, value, unit, default: usual }: LimitLine): string =>
  `${code(id)} ${amount(value, unit)} (default ${amount(usual, unit)})`;

const row = (limit: LimitLine): string[] => [
  code(limit.id),
  amount(limit.value, limit.unit),
  amount(limit.default, limit.unit),
  inline(limit.meaning),
  limit.set_in,
  limit.change === null ? '' : code(limit.change.key),
];

const amount = (value: number | null, unit: LimitLine['unit']): string =>
  value === null ? 'no limit' : unit === 'count' ? grouped(value) : `${grouped(value)} ${unit}`;

/** Returns a number with separators, such as 1,000,000, in the same format on every machine. */
const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
