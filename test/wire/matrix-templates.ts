import type { EntityPlan } from '../support/matrix.ts';

type Row = Record<string, unknown>;

/**
 * The attempts that are made on an app created from a template: its members, their rows, and the calls of each member.
 */
export interface TemplateCase {
  template: string;
  /** Names of the members who sign up, each with their member roles. */
  people: Readonly<Record<string, readonly string[]>>;
  /** Returns the rows of the members as SQL of the app's owner; `ids` are the members' ids by name. */
  seed: (ids: Readonly<Record<string, string>>) => string;
  /** Returns the attempts on each table and view; `key` lists the fields that identify a row. */
  entities: (ids: Readonly<Record<string, string>>) => Readonly<Record<string, Tried>>;
  /** The arguments of each function, by its name. */
  calls: Readonly<Record<string, Row>>;
}

export interface Tried extends Omit<EntityPlan, 'keys' | 'whole'> {
  key: readonly string[];
  /**
   * True for a view that aggregates the rows that the caller may see: its rows count as read only if their values are
   * complete.
   */
  sumsUp?: boolean;
}

const view = (key: string, change: Row): Tried => ({ key: [key], inserts: () => [change], changes: [change] });
const LONG_AGO = '2024-01-01T00:00:00Z';

const helpdesk: TemplateCase = {
  template: 'helpdesk',
  people: { ada: [], bob: [], gus: ['agent'], lea: ['agent', 'lead'] },
  // Bob's ticket was solved once and reopened.
  seed: ({ ada, bob, gus, lea }) => `
    insert into public.agents (id, name, lead) values ('${gus}', 'Gus', false), ('${lea}', 'Lea', true);
    insert into public.tickets (id, customer, subject, description, assignee, solved_at) overriding system value values
      (9001, '${ada}', 'The printer', 'It blinks.', '${gus}', null), (9002, '${ada}', 'The invoice', 'Twice.', null, null),
      (9003, '${bob}', 'The lamp', 'It is dark.', '${gus}', now());
    insert into public.comments (ticket, author, body, internal) values
      (9001, '${ada}', 'It is a red light.', false), (9001, '${gus}', 'Not again.', true), (9003, '${bob}', 'Still dark.', false);`,
  entities: ({ ada, bob }) => ({
    agents: {
      key: ['id'],
      inserts: () => [{ id: bob, name: 'New', lead: false }],
      changes: [{ name: 'Renamed' }],
      beyond: { since: LONG_AGO },
    },
    comments: {
      key: ['id'],
      inserts: (own) =>
        [own, bob].flatMap((author) =>
          [9001, 9003].flatMap((ticket) =>
            [true, false].map((internal) => ({ ticket, author, body: 'Said.', internal })),
          ),
        ),
      changes: [{ body: 'changed' }],
      beyond: { created_at: LONG_AGO },
    },
    customers: {
      key: ['id'],
      inserts: () => [{ id: ada, name: 'Twice' }],
      changes: [{ name: 'Renamed' }],
      beyond: { email: 'other@example.com' },
    },
    tickets: {
      key: ['id'],
      inserts: (own) =>
        [own ?? ada, bob].map((customer) => ({ customer, topic: null, subject: 'Another', description: 'One more.' })),
      // This value does not change the state, so no transition is needed. Members may not change fields of the team.
      changes: [{ status: 'new' }],
      beyond: { created_at: LONG_AGO },
    },
    topics: {
      key: ['id'],
      inserts: () => [{ name: 'A new topic' }],
      changes: [{ name: 'Renamed' }],
      beyond: { id: 900 },
    },
    queue: view('id', { subject: 'changed' }),
    workload: { ...view('id', { name: 'changed' }), sumsUp: true },
  }),
  calls: { search_tickets: { words: 'printer' } },
};

/** Late enough to satisfy every notice period. It can be any day of the week. */
const day = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10);
const at = (hour: number): string => `${day}T${String(hour).padStart(2, '0')}:00:00Z`;

const booking: TemplateCase = {
  template: 'booking',
  people: { ada: [], bob: [], sam: ['staff'] },
  seed: ({ ada, bob }) => `
    delete from public.slots;
    insert into public.resources (id, name, active) overriding system value values (901, 'Court', true), (902, 'Attic', false);
    insert into public.slots (resource, starts_at, ends_at) select r, '${at(8)}', '${at(18)}' from unnest(array[901, 902]) r;
    insert into public.bookings (resource, member, contact, starts_at, ends_at) values
      (901, '${ada}', 'ada@example.com', '${at(8)}', '${at(9)}'), (901, '${ada}', 'ada@example.com', '${at(10)}', '${at(11)}'),
      (901, '${bob}', 'bob@example.com', '${at(12)}', '${at(13)}');`,
  entities: ({ ada, bob }) => ({
    resources: {
      key: ['id'],
      inserts: () => [{ name: 'Another', active: false, capacity: 2, time_zone: 'UTC', ...lengths }],
      changes: [{ capacity: 9 }],
      beyond: { id: 990 },
    },
    slots: {
      key: ['id'],
      inserts: () => [901, 902].map((resource) => ({ resource, starts_at: at(20), ends_at: at(21) })),
      changes: [{ ends_at: at(22) }],
      beyond: { id: 990 },
    },
    bookings: {
      key: ['id'],
      inserts: (own) =>
        [own ?? ada, bob].map((member) => ({
          ...{
            resource: 901,
            member,
            contact: 'x@example.com',
            people: 1,
            starts_at: at(15),
            ends_at: at(16),
            note: 'n',
          },
        })),
      changes: [{ note: 'changed' }],
      beyond: { created_at: LONG_AGO },
    },
    times: {
      key: ['resource', 'starts_at'],
      inserts: () => [{ resource: 901, starts_at: at(15), ends_at: at(16) }],
      changes: [{ ends_at: at(23) }],
    },
    agenda: view('id', { note: 'changed' }),
  }),
  calls: {
    free_times: { resource: 901, from_time: at(0), to_time: at(23) },
    open_days: {
      resource: 901,
      first: day,
      last: day,
      opens: '06:00',
      closes: '07:00',
      weekdays: [1, 2, 3, 4, 5, 6, 7],
    },
  },
};
const lengths = { description: 'More.', shortest: '30 minutes', longest: '4 hours', notice: '1 day' };

const uuid = (end: number): string => `00000000-0000-4000-8000-${String(end).padStart(12, '0')}`;
const [ofAda, ofBob] = [uuid(1), uuid(2)];
const [draft, published, bobsHere, bobsOwn, carls] = [uuid(11), uuid(12), uuid(13), uuid(14), uuid(15)];
const [adasTag, bobsTag] = [uuid(21), uuid(22)];

const notes: TemplateCase = {
  template: 'notes',
  people: { ada: [], bob: [], carl: [] },
  seed: ({ ada, bob, carl }) => `
    insert into public.notebooks (id, owner, title) values ('${ofAda}', '${ada}', 'Garden'), ('${ofBob}', '${bob}', 'Boats');
    insert into public.shares (notebook, owner, member, rights) values
      ('${ofAda}', '${ada}', '${bob}', 'write'), ('${ofBob}', '${bob}', '${ada}', 'read');
    insert into public.invitations (code, notebook) values ('${uuid(31)}', '${ofAda}'), ('${uuid(32)}', '${ofBob}');
    insert into public.notes (id, owner, notebook, title, status) values ('${draft}', '${ada}', null, 'Roses', 'draft'),
      ('${published}', '${ada}', '${ofAda}', 'Tulips', 'published'), ('${bobsHere}', '${bob}', '${ofAda}', 'Soil', 'published'),
      ('${bobsOwn}', '${bob}', '${ofBob}', 'Keels', 'published'), ('${carls}', '${carl}', null, 'Mine', 'draft');
    insert into public.tags (id, owner, name) values ('${adasTag}', '${ada}', 'todo'), ('${bobsTag}', '${bob}', 'todo');
    insert into public.note_tags (note, tag) values ('${draft}', '${adasTag}'), ('${published}', '${bobsTag}');`,
  entities: ({ ada, bob, carl }) => ({
    notebooks: {
      key: ['id'],
      inserts: (own) => [own ?? ada, bob].map((owner) => ({ id: uuid(900), owner, title: 'Another' })),
      changes: [{ title: 'Renamed' }],
      beyond: { created_at: LONG_AGO },
    },
    shares: {
      key: ['notebook', 'member'],
      inserts: () => [{ notebook: ofBob, owner: bob, member: carl }],
      changes: [{ rights: 'read' }],
      beyond: { since: LONG_AGO },
    },
    invitations: {
      key: ['code'],
      inserts: () =>
        [ofAda, ofBob].map((notebook) => ({ notebook, rights: 'read', expires_at: new Date().toISOString() })),
      changes: [{ rights: 'write' }],
      beyond: { code: uuid(901) },
    },
    notes: {
      key: ['id'],
      inserts: (own) =>
        [own ?? ada, bob].flatMap((owner) =>
          [null, ofAda, ofBob].map((notebook) => ({ id: uuid(902), owner, notebook, title: 'Another', body: 'New.' })),
        ),
      changes: [{ body: 'changed' }],
      beyond: { created_at: LONG_AGO },
    },
    tags: {
      key: ['id'],
      inserts: (own) => [own ?? ada, bob].map((owner) => ({ owner, name: 'later', color: '#1f6feb' })),
      changes: [{ color: '#1f6feb' }],
      beyond: { id: uuid(903) },
    },
    note_tags: {
      key: ['note', 'tag'],
      inserts: () => [published, carls].flatMap((note) => [adasTag, bobsTag].map((tag) => ({ note, tag }))),
      changes: [{ note: published }],
    },
    library: view('id', { title: 'changed' }),
  }),
  calls: { join_notebook: { code: uuid(31) }, search_notes: { words: 'roses' } },
};

export const templateCases: readonly TemplateCase[] = [helpdesk, booking, notes];
