import { describe, expect, inject, it } from 'vitest';
import type { BuilderAuditEntry } from '../../contract/audit.ts';
import type { VersionList } from '../../contract/changes.ts';
import { limits } from '../../contract/limits.ts';
import type { Specification } from '../../contract/specification.ts';
import type { SpecificationLink } from '../../contract/specification-links.ts';
import { admin, createAppWith, runSql } from '../support/apps.ts';
import { printed } from '../support/printed.ts';
import { readShared, shareSpecification } from '../support/shared.ts';

const node = inject('node');
const list = (ref: string) => admin<SpecificationLink[]>(node, 'GET', `/apps/${ref}/specification/links`);
const read = async (url: string, format?: string) =>
  (await readShared(node, `${new URL(url).pathname}${format ? `?format=${format}` : ''}`)).body;

describe('a link to a specification', () => {
  it('shows the export in each format, as of now or of one version, until it is withdrawn', async () => {
    const { ref } = await createAppWith(node, 'create table public.first (id int)');
    const { versions } = await admin<VersionList>(node, 'GET', `/apps/${ref}/versions`);
    const number = versions[0]?.number ?? 0;
    const old = await shareSpecification(node, ref, { version: number, days: 7 });
    const current = await shareSpecification(node, ref);
    const before = JSON.parse(await read(old.url, 'json')) as Specification;
    await runSql(node, ref, 'create table public.second (id int)');

    expect(JSON.parse(await read(old.url, 'json'))).toEqual(before);
    expect(await read(old.url)).not.toContain('second');
    expect(before.hash).toBe(versions[0]?.hash);
    expect(await read(current.url, 'md')).toBe(await printed(node, ['spec', ref]));
    expect(await read(current.url)).toBe(await printed(node, ['spec', ref, '--format', 'html']));
    expect(JSON.parse(await read(current.url, 'json'))).toEqual(
      JSON.parse(await printed(node, ['spec', ref, '--format', 'json'])),
    );

    const links = await list(ref);
    expect(links).toMatchObject([
      { id: current.id, version: null, expires_at: null, created_by: 'operator', ended: null },
      { id: old.id, version: number, created_by: 'operator', ended: null },
    ]);
    expect(Date.parse(links[1]?.expires_at ?? '') - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
    expect(Date.now() - Date.parse(links[0]?.last_read_at ?? '')).toBeLessThan(60_000);
    expect(JSON.stringify(links)).not.toContain(current.url.split('/').at(-1));

    await admin(node, 'DELETE', `/apps/${ref}/specification/links/${current.id}`);
    expect((await readShared(node, new URL(current.url).pathname)).status).toBe(404);
    await expect(admin(node, 'DELETE', `/apps/${ref}/specification/links/${current.id}`)).rejects.toThrow(
      'link_unknown',
    );
    const entries = await admin<BuilderAuditEntry[]>(node, 'GET', `/apps/${ref}/audit?kind=builders`);
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['specification_link_created', 'specification_link_withdrawn']),
    );
    expect(JSON.stringify(entries)).not.toContain(old.url.split('/').at(-1));
  });

  it('is made by the command, and refused for an unknown version, another period, and beyond the limit', async () => {
    const { ref } = await createAppWith(node, '');
    const url = (await printed(node, ['spec', ref, '--share'])).trim();
    expect(await read(url, 'md')).toBe(await printed(node, ['spec', ref]));
    await expect(shareSpecification(node, ref, { version: 999 })).rejects.toThrow('version_unknown');
    await expect(shareSpecification(node, ref, { days: 365 })).rejects.toThrow('validation_invalid');
    for (let made = 1; made < limits.specificationLinks.default; made++) await shareSpecification(node, ref);
    await expect(shareSpecification(node, ref)).rejects.toThrow('links_full');
  });
});
