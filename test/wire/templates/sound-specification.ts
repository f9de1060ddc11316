import { expect } from 'vitest';
import type { Specification } from '../../../contract/specification.ts';
import { admin } from '../../support/apps.ts';
import { chapterTexts } from '../../support/chapter-lines.ts';
import type { NodeAddress } from '../../support/node.ts';

const MARKDOWN_BYTES = 30_000;

/**
 * Checks the specification of an app that was created from a template: each chapter has content, its screens work, its
 * entities and fields have descriptions, there is no advice, the catalog contains its own error codes, and a person can
 * read the Markdown.
 */
export async function expectSoundSpecification(
  node: NodeAddress,
  ref: string,
  expected: { machine: string; codes: string[] },
): Promise<void> {
  const { chapters } = await admin<Specification>(node, 'GET', `/apps/${ref}/specification`);
  expect(Buffer.byteLength((await chapterTexts(node, ref)).join('## '))).toBeLessThan(MARKDOWN_BYTES);
  const { purpose, screens, entities, states, rules, roles, errors } = chapters;
  const said = expect.stringMatching(/\w{4}/);
  expect(purpose).toMatchObject({ name: said, purpose: said, audience: said });
  expect(screens?.screens.filter((screen) => screen.origin !== 'derived').length).toBeGreaterThan(3);
  expect(screens?.screens.filter((screen) => screen.broken.length > 0)).toEqual([]);
  expect(states?.machines).toMatchObject([{ entity: expected.machine, enforced: true, problems: [] }]);
  const own = entities?.entities.filter((entity) => entity.schema === 'public') ?? [];
  expect(own.length).toBeGreaterThan(3);
  const silent = own.flatMap((entity) => [
    ...(entity.comment === null ? [entity.id] : []),
    ...(entity.kind === 'table' ? entity.fields : []).flatMap((field) =>
      field.comment === null ? [`${entity.id}.${field.name}`] : [],
    ),
  ]);
  expect(silent).toEqual([]);
  const checks = rules?.rules.filter((rule) => rule.kind === 'check' || rule.kind === 'exclusion') ?? [];
  expect(checks.filter((rule) => rule.comment === null).map((rule) => rule.id)).toEqual([]);
  expect(roles?.advice).toEqual([]);
  const writes = roles?.cells.filter((cell) => /^(insert|update|delete)$/.test(cell.operation)) ?? [];
  expect(writes.filter((cell) => cell.role === 'anon' && cell.verdict !== 'never')).toEqual([]);
  const codes = errors?.errors.flatMap((line) => (line.group === 'function' ? [line.code] : []));
  expect([...new Set(codes)].sort()).toEqual(expected.codes);
}
