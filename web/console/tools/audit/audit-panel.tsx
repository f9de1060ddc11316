import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { KeyValues, Panel, PanelSection, type PanelSteps, VerdictLine } from '../../../ui/panel.tsx';
import { dateTime } from '../../format/format.ts';
import type { AuditFilter, AuditLine } from '../../queries/audit.ts';
import { actionWords } from './audit-words.ts';

/** Panel of an entry of an audit log: the change, the actor and the address. */
export function AuditPanel({
  filter: { kind, ref },
  line,
  ...steps
}: {
  /** Says which log contains the entry. */
  filter: Pick<AuditFilter, 'kind' | 'ref'>;
  line: AuditLine;
} & PanelSteps) {
  const { details, requestId, actorId } = line;
  const what = actionWords(kind, line.action);
  const isChange = 'before' in details || 'after' in details;
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  const pairs: (readonly [string, ReactNode])[] = [
    [
      kind === 'members' ? 'Member' : 'Builder',
      kind === 'members' && ref !== null && actorId !== null ? (
        <Link key="who" to="/app/$ref/users/$id" params={{ ref, id: actorId }}>
          {line.actor || actorId}
        </Link>
      ) : (
        line.actor || 'unknown'
      ),
    ],
    ['Address', <code key="address">{line.address}</code>],
    ['At', dateTime(line.at)],
  ];
  if (requestId !== null) pairs.push(['Request', <code key="request">{requestId}</code>]);
  if (line.refused !== null) pairs.push(['Refused', <code key="refused">{line.refused}</code>]);
  const rest = Object.entries(details).filter(([name]) => !isChange || (name !== 'before' && name !== 'after'));
  return (
    <Panel label="Selected entry" title={what} {...steps}>
      <VerdictLine>
        {line.actor || 'Unknown caller'} {line.refused === null || kind === 'members' ? what : `was refused: ${what}`}.
      </VerdictLine>
      {isChange && (
        <PanelSection title="Before and after">
          <KeyValues
            pairs={[
              ['Before', <code key="before">{text(details.before) ?? 'not known'}</code>],
              ['After', <code key="after">{text(details.after) ?? 'the default'}</code>],
            ]}
          />
        </PanelSection>
      )}
      <PanelSection title="Who and where">
        <KeyValues pairs={pairs} />
      </PanelSection>
      {rest.length > 0 && (
        <PanelSection title="Details">
          <KeyValues
            pairs={rest.map(([name, value]) => [name.replaceAll('_', ' '), <code key={name}>{text(value)}</code>])}
          />
        </PanelSection>
      )}
      <p>
        <CopyButton text={JSON.stringify(line, null, 2)} what="the entry as JSON" word="Copy as JSON" />
      </p>
    </Panel>
  );
}
