import { beforeAll, describe, expect, it } from 'vitest';
import { defaultAuthSettings } from '../../../../contract/settings-auth.ts';
import type { Specification } from '../../../../contract/specification.ts';
import { ownerTransaction } from '../../../../test/support/owner-transaction.ts';
import { school } from '../../../../test/support/school.ts';
import { parseFacts } from '../../../catalog/facts.ts';
import { diffMarkdown } from '../../compare/markdown.ts';
import { deriveSpecification } from '../../derive/specification.ts';
import { specificationHtml } from '../html/specification.ts';
import { specificationMarkdown } from './specification.ts';

const { script, readFacts } = ownerTransaction(
  'school',
  `drop schema public cascade; create schema public; grant usage on schema public to anon, authenticated, service_role;
   ${school}`,
);

async function derive(authSettings = defaultAuthSettings): Promise<Specification> {
  const facts = await readFacts({ exposedSchemas: ['public'], authenticator: 'app_authenticator' });
  return deriveSpecification(parseFacts(facts), { ref: 'school', name: 'School app', authSettings });
}

describe('specificationMarkdown of a school with 11 tables', () => {
  let specification: Specification;
  let markdown: string;
  beforeAll(async () => {
    specification = await derive();
    markdown = specificationMarkdown(specification);
  });

  it('takes less than 30 KB', () => {
    expect(specification.chapters.entities?.entities.filter(({ kind }) => kind === 'table')).toHaveLength(11);
    expect(Buffer.byteLength(markdown)).toBeLessThan(30_000);
  });

  it('leaves all details in the JSON', () => {
    const { entities, rules, roles, calls } = specification.chapters;
    const json = JSON.parse(JSON.stringify(specification));
    specificationMarkdown(json);
    expect(json).toEqual(JSON.parse(JSON.stringify(specification)));
    const details = [
      ...(entities?.entities ?? []).flatMap(({ kind, definition, triggers }) => [
        ...(kind === 'view' ? [definition] : []),
        ...triggers.map(({ sql }) => sql),
      ]),
      ...(rules?.rules ?? []).map(({ sql }) => sql),
      ...(roles?.policies ?? []).map(({ sql }) => sql),
      ...(roles?.advice ?? []).map(({ sql }) => sql),
      ...(roles?.cells ?? []).map(({ reason }) => reason),
      ...(calls?.functions ?? []).map(({ body }) => body),
    ];
    expect(details.length).toBeGreaterThan(500);
    expect(details.filter((detail) => !detail)).toEqual([]);
  });

  it('begins with the name of the app, the contents, and one page for each role', () => {
    expect(markdown).toMatch(/^# School\n\nRun the school: /);
    const headings = [...markdown.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
    expect(headings).toEqual([
      'Contents',
      'What a visitor may do',
      'What a signed-in member may do',
      'What a head may do',
      'What an office may do',
      'What a teacher may do',
      'What the secret key may do',
      ...['1 Purpose', '2 Screens', '3 Entities', '4 States', '5 Rules', '6 Roles', '7 Calls', '8 Errors', '9 Limits'],
    ]);
    const head = markdown.slice(markdown.indexOf('## What a head'), markdown.indexOf('## What an office'));
    expect(head).toContain('- **terms**: add, change and delete\n');
    expect(head).toContain('- **invoices**, state: cancel (to cancelled)');
  });

  it('writes each condition once with its number, before every other mention of the number', () => {
    const defined = [...markdown.matchAll(/\*((?:\\.|[^*\\])+)\* \[(\d+)\]/g)].map(([, words, number]) => ({
      words,
      number,
    }));
    expect(defined.length).toBeGreaterThan(20);
    expect(new Set(defined.map(({ words }) => words)).size).toBe(defined.length);
    expect(defined.map(({ number }) => Number(number))).toEqual(defined.map((_, i) => i + 1));
    for (const { number } of defined) {
      expect(markdown.indexOf(`[${number}]`), number).toBe(markdown.indexOf(`* [${number}]`) + 2);
    }
    for (const [, number] of markdown.matchAll(/(?<!\\)\[(\d+)\]/g))
      expect(Number(number)).toBeLessThanOrEqual(defined.length);
  });

  it('contains neither the schema public nor casts, and each piece of advice on one line', () => {
    expect(markdown).not.toMatch(/\bpublic\.|::/);
    const advice = markdown.slice(markdown.indexOf('### Advice'), markdown.indexOf('## 7 Calls'));
    expect(advice.match(/no index/g)).toHaveLength(2);
    expect(
      advice
        .trim()
        .split('\n')
        .slice(2)
        .every((line) => line.startsWith('- ')),
    ).toBe(true);
    expect(advice).toContain('courses (teacher_id), enrolments (pupil_id)');
  });

  it('names a function by its comment at its first mention only', () => {
    expect(markdown.match(/“The member teaches the course”/g)).toHaveLength(1);
    expect(markdown).toContain('“The member teaches the course” (teaches(course_id))');
  });

  it('shows the comment of a policy beside its condition', () => {
    expect(markdown).toMatch(
      /Everybody sees open courses\*\*: select by anon, authenticated if \[\d+\]\. “open courses are public”/,
    );
  });

  it('lists in the HTML page the roles and the chapters, and links each later number to the words of its condition', () => {
    const html = specificationHtml(specification);
    expect(html).toContain('<title>School: what it does</title>');
    expect(html).toContain('<li><a href="#what-a-teacher-may-do">What a teacher may do</a></li>');
    const targets = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(targets).size).toBe(targets.length);
    const links = [...html.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.length).toBeGreaterThan(50);
    expect(links.filter((link) => !targets.includes(link))).toEqual([]);
    expect(html).toMatch(/<a class="ref" href="#c1" title="is_open">\[1\]<\/a>/);
  });

  it('stays comparable: a new condition that renumbers the others is the only change', async () => {
    await script(`create policy "Everybody sees public notices" on public.notices for select to anon using (pinned);
      grant select on public.notices to anon`);
    const after = specificationMarkdown(await derive());
    const words = diffMarkdown(markdown, after).map((change) => change.words);
    expect(words).toContain('Anyone without a session may now read notices when pinned.');
    expect(words.join('\n')).not.toMatch(/attendance|courses|lessons|submissions/);
  });

  it('says which calls of sign-in the settings of the app remove or add', async () => {
    expect(markdown).toContain('65 calls of `/auth/v1`, as in every app');
    const without = specificationMarkdown(await derive({ ...defaultAuthSettings, passkey_enabled: false }));
    expect(without).toContain('58 calls of `/auth/v1`; an app with the default settings has 65');
    expect(without).toMatch(/- Not here, because of `passkey_enabled`: (`[A-Z]+ \/auth\/v1\/passkeys\S*`(, )?){7}$/m);
  });
});
