import { Link } from '@tanstack/react-router';
import type { CallEntry, CallParameter } from '../../../../contract/specification.ts';
import { Code } from '../../../ui/code.tsx';
import { KeyValues, Panel, PanelSection, VerdictLine } from '../../../ui/panel.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { count, listed } from '../../format/format.ts';
import styles from './call-panel.module.css';

const places: Readonly<Record<CallParameter['in'], string>> = { query: 'Query', header: 'Headers', body: 'Body' };

/** One call told in full: for whom, what it takes, what it answers, and code that makes it. */
export function CallPanel({
  appRef,
  call,
  onClose,
  onPrevious,
  onNext,
}: {
  appRef: string;
  call: CallEntry;
  onClose: () => void;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
}) {
  return (
    <Panel
      label={`${call.method} ${call.path}`}
      title={
        <>
          <span className="soft">{call.method}</span> <code>{call.path}</code>
        </>
      }
      onClose={onClose}
      onPrevious={onPrevious}
      onNext={onNext}
    >
      <VerdictLine>{call.summary}</VerdictLine>
      <PanelSection title="Call">
        <KeyValues
          pairs={[
            ['For', call.roles.length > 0 ? listed(call.roles) : 'nobody: no role has the right'],
            ['Answers', call.returns],
            ...(call.setting === null ? [] : [['Switched off by', <code key="setting">{call.setting}</code>] as const]),
            ...(call.entity === null || call.area !== 'rest'
              ? []
              : [
                  [
                    'Reaches',
                    <Link
                      key="entity"
                      to="/app/$ref/entities"
                      params={{ ref: appRef }}
                      search={{ entity: call.entity }}
                    >
                      <code>{call.entity}</code>
                    </Link>,
                  ] as const,
                ]),
          ]}
        />
      </PanelSection>
      <PanelSection title="Make it">
        {/* Another call begins at the first tab again. */}
        <Tabs
          key={call.id}
          label="Code"
          tabs={[
            {
              name: 'supabase-js',
              content: <Code code={call.snippets.supabase_js} language="javascript" label="the call in supabase-js" />,
            },
            { name: 'curl', content: <Code code={call.snippets.curl} language="shell" label="the call in curl" /> },
            {
              name: 'fetch',
              content: <Code code={call.snippets.fetch} language="javascript" label="the call in fetch" />,
            },
          ]}
        />
      </PanelSection>
      {(['query', 'header', 'body'] as const).map((place) => (
        <Parameters
          key={place}
          title={places[place]}
          parameters={call.parameters.filter((given) => given.in === place)}
        />
      ))}
    </Panel>
  );
}

function Parameters({ title, parameters }: { title: string; parameters: readonly CallParameter[] }) {
  if (parameters.length === 0) return null;
  return (
    <PanelSection title={title} aside={count(parameters.length)}>
      <ul className={styles.parameters}>
        {parameters.map(({ name, type, required, meaning }) => (
          <li key={name}>
            <code className={styles.name}>{name}</code>
            <code className={styles.type}>{type}</code>
            {required && <Tag>required</Tag>}
            <span className={styles.meaning}>{meaning}</span>
          </li>
        ))}
      </ul>
    </PanelSection>
  );
}
