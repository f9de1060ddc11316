import type { Specification } from '../../contract/specification.ts';
import type { CallParameter } from '../../contract/specification-calls.ts';
import { admin } from './apps.ts';
import type { NodeAddress } from './node.ts';
import { callLines } from './specification-lines/calls.ts';
import { entityLines } from './specification-lines/entities.ts';
import { roleLines } from './specification-lines/roles.ts';

/**
 * Returns the Markdown of an app's chapters by number. The Markdown leaves out the SQL of an app and what every app has, so
 * each chapter gets an additional line for each entry of its JSON. Entry 0 is the text before the first chapter, which contains the
 * version.
 */
export async function chapterLines(node: NodeAddress, ref: string): Promise<string[]> {
  const [markdown, { chapters }] = await readBoth(node, ref);
  const texts = markdown.split(/^## (?=\d )/m);
  const { entities, states, roles, calls } = chapters;
  const more: Readonly<Record<number, readonly string[]>> = {
    2: (chapters.screens?.screens ?? []).map(({ route, title, kind, origin, columns, order_by, roles: names }) => {
      const order = order_by === null ? '' : `; by \`${order_by}\``;
      return `| \`${route}\` | ${title} (${kind}, ${origin}) | ${columns.map((name) => `\`${name}\``).join(', ')}${order} | ${names.join(', ')} |`;
    }),
    3: entities === undefined ? [] : [entityLines(entities)],
    4: (states?.machines ?? []).flatMap(({ id, transitions, table }) => [
      ...transitions.map(({ words, when }) => `- ${id}: ${words}${when === null ? '' : `, when: ${when.sql}`}`),
      ...Object.entries(table).map(
        ([state, moves]) =>
          `| ${state} | ${Object.values(moves)
            .map((to) => (to === null ? '–' : `→ ${to}`))
            .join(' | ')} |`,
      ),
    ]),
    6: roles === undefined ? [] : [roleLines(roles), ...roles.cells.map(({ reason }) => reason)],
    5: (chapters.rules?.rules ?? []).map(
      (rule) => `${rule.comment ?? rule.words} (${rule.applies_to} only): ${rule.sql}: ${rule.words}`,
    ),
    7: [
      ...(calls?.calls ?? []).map((call) => {
        const takes = call.parameters === null ? '' : taken(call.parameters);
        const answers = `${call.returns ?? ''}${call.reads_only ? '; only reads' : ''}`;
        return `| \`${call.method} ${call.path}\` | ${call.summary} | ${call.roles.join(', ')} | ${takes} | ${answers} |`;
      }),
      ...(calls === undefined ? [] : [callLines(calls)]),
      ...(calls?.settings ?? []).map(({ key, value, meaning }) => `${key}: ${value}: ${meaning}`),
    ],
    8: (chapters.errors?.errors ?? []).map((error) => {
      const caveat = error.caveat === null ? '' : ` (${error.caveat})`;
      return `| \`${error.code}\` | ${error.status} | ${error.meaning}${caveat} ${error.origin ?? ''} | ${error.action} | ${error.member} |`;
    }),
    9: (chapters.limits?.limits ?? []).map((limit) => `${limit.id}: ${limit.value}: ${limit.meaning}`),
  };
  return texts.map((text, chapter) => [text, ...(more[chapter] ?? [])].join('\n'));
}

const taken = (parameters: readonly CallParameter[]): string =>
  parameters.map(({ name, required }) => `${name}${required ? '' : '?'}`).join(', ');

/** Returns the Markdown of each chapter, by number. */
export const chapterTexts = async (node: NodeAddress, ref: string): Promise<string[]> =>
  (await markdownOf(node, ref)).split(/^## (?=\d )/m);

async function markdownOf(node: NodeAddress, ref: string): Promise<string> {
  const response = await fetch(`${node.url}/admin/v1/apps/${ref}/specification?format=markdown`, {
    headers: { authorization: `Bearer ${node.operatorToken}` },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return text;
}

/** Reads the Markdown and the JSON again and again, until both have the same version. */
async function readBoth(node: NodeAddress, ref: string): Promise<[string, Specification]> {
  for (;;) {
    const markdown = await markdownOf(node, ref);
    const specification = await admin<Specification>(node, 'GET', `/apps/${ref}/specification`);
    if (markdown.includes(`Version ${specification.hash.slice(0, 12)}.`)) return [markdown, specification];
  }
}
