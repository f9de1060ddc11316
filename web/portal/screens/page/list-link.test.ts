import { expect, it } from 'vitest';
import type { PortalEntity, PortalScreens } from '../../../../contract/portal.ts';
import { listLink } from './list-link.ts';

const field = (name: string, editor: string) => ({ name, editor, readable: true, sortable: true });
const entity = {
  id: 'public.tickets',
  fields: [field('status', 'enum'), field('assignee', 'reference'), field('created_at', 'date and time')],
} as unknown as PortalEntity;
const list = (route: string, filter: string | null) => ({ kind: 'list', entity: 'public.tickets', route, filter });
const all = { screens: [list('/tickets', null), list('/open', 'status=eq.open')] } as unknown as PortalScreens;

it('listLink leads to the list whose own filter is nearest, with the other conditions in its address', () => {
  expect(listLink(all, entity, 'status=eq.open', { assignee: 'is.null' })).toEqual({
    to: '/open',
    search: { 'f.assignee': 'is.null' },
  });
  expect(listLink(all, entity, 'assignee=eq.1', { created_at: 'gte.2026-03-01,lte.2026-03-30' })).toEqual({
    to: '/tickets',
    search: { 'f.assignee': 'eq.1', 'f.created_at': 'gte.2026-03-01,lte.2026-03-30' },
  });
  expect(listLink(all, entity, 'status=in.(open,new)')?.search).toEqual({ 'f.status': 'in.(open,new)' });
  expect(listLink(all, entity, null)).toEqual({ to: '/tickets', search: {} });
});

it('listLink returns null for conditions that the address of a list cannot have', () => {
  expect(listLink(all, entity, 'status=neq.open')).toBeNull();
  expect(listLink(all, entity, 'or=(status.eq.open,assignee.is.null)')).toBeNull();
  expect(listLink(all, entity, 'status=eq.new&status=neq.open')).toBeNull();
  expect(listLink({ ...all, screens: [] }, entity, null)).toBeNull();
});
