import type { RealtimeCall } from '../../../../../contract/calls.ts';
import type { CallEntry } from '../../../../../contract/specification-calls.ts';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { queryName } from '../../../../catalog/names.ts';
import type { CallExpression } from './call-expression.ts';
import { js } from './js-literal.ts';

/** The topic and the event of examples. */
const [TOPIC, EVENT] = ['room:1', 'greeting'];
/** Headers by which curl opens a WebSocket (RFC 6455, section 4.1). */
const upgrade = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
};
const noted = { query: 'vsn=1.0.0', headers: upgrade, body: null, notes: [] };

/** Returns an example of a call of /realtime/v1. */
export function realtimeExample(call: RealtimeCall): CallExpression {
  if (call.id === 'realtime.socket') {
    const program = channelProgram(TOPIC, [
      `.on('broadcast', { event: ${js(EVENT)} }, ({ payload }) => console.log(payload))`,
    ]);
    return { ...noted, expression: null, program };
  }
  const body = { content_type: 'application/json', text: JSON.stringify(call.example) };
  const expression = `supabase.channel(${js(TOPIC)}).httpSend(${js(EVENT)}, ${js({ text: 'hello' })})`;
  const path = call.path.replace('{topic}', encodeURIComponent(TOPIC)).replace('{event}', EVENT);
  return {
    path,
    query: '',
    headers: {},
    body,
    expression: null,
    program: `console.log(await ${expression});\n`,
    notes: [],
  };
}

/** Returns an example that receives the changes of a table; the filter compares the first published field. */
export function changesExample(call: CallEntry, entity: Entity | undefined, value: unknown): CallExpression {
  const of = (name: string) => call.parameters?.find((one) => one.name === name)?.type ?? '';
  const key = entity?.primary_key[0];
  const filter =
    key === undefined || value === undefined ? '' : `, filter: ${js(`${queryName(key)}=eq.${String(value)}`)}`;
  const program = channelProgram(of('table'), [
    '// Without a filter, every change of the table arrives.',
    `.on('postgres_changes', { event: '*', schema: ${js(of('schema'))}, table: ${js(of('table'))}${filter} }, (change) =>`,
    '  console.log(change.eventType, change.old, change.new),',
    ')',
  ]);
  return { ...noted, expression: null, program };
}

const channelProgram = (topic: string, lines: readonly string[]): string =>
  `supabase
  .channel(${js(topic)})
${lines.map((line) => `  ${line}`).join('\n')}
  .subscribe((status, error) => console.log(status, error ?? ''));
`;
