import type { LabelTexts, Menu, MenuGroup, Page, PurposeChapter, Screen } from '../../contract/description.ts';
import type { ErrorLine, LimitLine, Rule } from '../../contract/specification.ts';
import type {
  CallEntry,
  CallParameter,
  CallSetting,
  DefinitionEntry,
  FunctionEntry,
  JobEntry,
  RowCall,
} from '../../contract/specification-calls.ts';
import type {
  Attribute,
  ComputedField,
  DistanceIndex,
  Entity,
  EntityTrigger,
  Field,
  Junction,
  Relation,
  ViewForeignKey,
} from '../../contract/specification-entities.ts';
import type { BucketEntry, FileRule } from '../../contract/specification-files.ts';
import type {
  AdviceEntry,
  ChangeCell,
  EdgeFunctionCell,
  FileCell,
  PolicyEntry,
  RoleCell,
  RoleEntry,
  TopicCell,
} from '../../contract/specification-roles.ts';
import type { AccountMove, Machine, MachineState, Transition } from '../../contract/states.ts';

/** A type with all its members except live figures. A new member that the value below lacks is a compile error. */
type Full<Item> = Required<Omit<Item, 'figures'>>;

const sources = [{ kind: 'catalog', label: 'pg_class', sql: 'select 1' }];

const purpose: Full<PurposeChapter> = {
  ...{ name: 'Rooms', purpose: 'Book rooms.', audience: 'Everybody', owner: 'Ada' },
  sources: [],
};

const screen: Full<Screen> = {
  ...{ route: '/rooms', title: 'Rooms', kind: 'list', entity: 'public.rooms', origin: 'defined' },
  ...{ columns: ['id', 'name'], fields: { insert: ['name'], update: ['name'] }, filter: 'name=neq.x' },
  ...{ order_by: 'name', roles: ['authenticated', 'lead'], state_field: 'state', group_by: 'name' },
  ...{ related: ['public.stays'], actions: ['public.close'], span: { start: 'from', end: 'until' } },
  ...{ picture: 'photo', empty: 'No room yet.', given: ['columns', 'roles'], home: true, place: 3, broken: [] },
};

const page: Full<Page> = {
  ...{ route: '/desk', title: 'Desk', roles: ['authenticated'], home: true, place: 4, broken: [] },
  parts: [
    { kind: 'text', text: 'Welcome.', texts: { de: 'Willkommen.' } },
    { kind: 'buttons', routes: ['/rooms'] },
    {
      ...{ kind: 'line', title: 'Stays', titles: { de: 'Aufenthalte' }, entity: 'public.stays', filter: 'nights=gt.1' },
      ...{ value: 'sum', of: 'nights', over: 'arrival', by: 'room' },
    },
    {
      ...{ kind: 'list', title: 'Rooms', entity: 'public.rooms', order_by: 'name', columns: ['name'], rows: 5 },
    },
  ],
};

const menu: Full<Menu> = {
  ...{ role: 'lead', home: '/desk', broken: [] },
  groups: [{ title: 'Rooms', titles: { de: 'Räume' }, routes: ['/rooms', '/desk'] }],
};

const label: Required<LabelTexts> = { label: 'Räume', one: 'Raum', help: 'Zum Buchen' };

const attribute: Required<Attribute> = { name: 'street', type: 'text', comment: 'The street.', attributes: [] };

const field: Full<Field> = {
  ...{ name: 'name', type: 'public.short', base_type: 'text', nullable: false, default: "'new'::text" },
  ...{ generated: null, computed: true, identity: null, enum_values: ['a', 'b'], attributes: [attribute] },
  ...{ collation: { name: 'und', equal: 'that differ in accents alone' }, numbering: 'from 1 to 100' },
  ...{ comment: 'As people call it.', type_comments: ['A short text.'] },
  files: { bucket: 'photos', many: false, types: ['image/*'], max_bytes: 5_000_000, folder: '{user}' },
  references: { schema: 'public', entity: 'houses', field: 'id' },
};

const bucket: Full<BucketEntry> = {
  ...{ id: 'photos', name: 'Photos', public: true, file_size_limit: 5_000_000, allowed_mime_types: ['image/png'] },
};

const fileRule: Full<FileRule> = {
  ...{ id: 'photos.size', bucket: 'photos', words: 'a file has at most 5 MB', code: 'EntityTooLarge' },
};

const fileCell: Full<FileCell> = {
  ...{ role: 'authenticated', bucket: 'photos', operation: 'upload', verdict: 'when' },
  ...{ words: 'owner_id is the member', reason: 'row-level security: policy "own"', policies: ['own'] },
};

const computed: Full<ComputedField> = {
  name: 'full',
  as: 'field',
  type: 'text',
  function: 'public.full(public.rooms)',
};

const trigger: Full<EntityTrigger> = {
  ...{ name: 'keep', enabled: true, in_replicas: true, comment: 'Keeps it.' },
  sql: 'CREATE TRIGGER keep BEFORE INSERT ON public.rooms FOR EACH ROW EXECUTE FUNCTION public.keep()',
};

const distanceIndex: Full<DistanceIndex> = {
  ...{ name: 'rooms_place_idx', method: 'hnsw', part: 'place', operator: '<=>', condition: 'open' },
};

const entity: Full<Entity> = {
  ...{ id: 'public.rooms', schema: 'public', name: 'rooms', kind: 'table', exposed: true, comment: 'Rooms.' },
  ...{ owner: 'pg_database_owner', row_level_security: true, forced_row_level_security: false, security: 'owner' },
  ...{ check_option: 'local', security_barrier: true, unlogged: true },
  ...{ writable: { insert: true, update: true, delete: true }, primary_key: ['id'], unique_keys: [['name']] },
  ...{
    period_keys: [{ fields: ['name'], period: 'during' }],
    distance_indexes: [distanceIndex],
    fields: [field, { ...field, name: 'id' }],
  },
  ...{ computed: [computed], triggers: [trigger] },
  rewrite_rules: [{ name: 'log', enabled: true, sql: 'CREATE RULE log AS ON INSERT TO public.rooms DO ALSO NOTHING;' }],
  ...{ inherits: ['public.places'], partitions: 2, definition: 'SELECT 1;', extension: 'postgis' },
};

const relation: Full<Relation> = {
  name: 'rooms_house_fkey',
  from: { schema: 'public', entity: 'rooms', fields: ['house', 'floor'] },
  to: { schema: 'public', entity: 'houses', fields: ['id', 'floor'] },
  ...{ kind: 'many-to-one', period: true, on_delete: 'set null', on_delete_fields: ['house'], on_update: 'cascade' },
};

const junction: Full<Junction> = {
  ...{ name: 'a b', from: 'public.rooms', to: 'public.people', through: 'public.stays' },
};

const viewKey: Full<ViewForeignKey> = {
  ...{ view: 'public.free', side: 'from', name: 'rooms_house_fkey', fields: [['house']] },
  ...{ from: relation.from, to: relation.to },
};

const transition: Full<Transition> = {
  ...{ name: 'take', from: ['open'], to: 'taken', roles: ['lead'], when: { sql: 'a', words: 'a' } },
  ...{ requires: ['name'], sets: [{ field: 'at', sql: 'now()' }], words: 'lead may take a row' },
  access: [{ role: 'lead', verdict: 'when', words: 'the row is theirs' }],
};

const state: Full<MachineState> = { name: 'open', final: false, reached: true };

const machine: Full<Machine> = {
  ...{ id: 'public.rooms.state', entity: 'public.rooms', field: 'state', initial: 'open' },
  ...{ states: [state, { ...state, name: 'taken' }], transitions: [transition, { ...transition, name: 'give' }] },
  ...{ table: { open: { take: 'taken' } }, enforced: true, problems: ['it is broken'] },
};

const move: Full<AccountMove> = {
  ...{ id: 'auth.signup', call: 'auth.signup', from: null, to: 'active', when: 'the address is confirmed' },
};

const rule: Full<Rule> = {
  ...{ id: 'public.rooms.short', entity: 'public.rooms', name: 'short', kind: 'check', fields: ['name'] },
  ...{ words: 'name is at most 5 characters', comment: 'Short, please.', sql: 'CHECK ((length(name) <= 5))' },
  ...{ applies_to: 'all rows', sqlstate: '23514' },
};

const role: Full<RoleEntry> = {
  ...{ name: 'lead', meaning: 'Leads.', member_role: 'lead', bypasses_row_level_security: false },
};

const cell: Full<RoleCell> = {
  ...{ role: 'lead', entity: 'public.rooms', operation: 'update', verdict: 'when', words: 'own row (by owner)' },
  ...{ reason: 'row-level security: own', code: '42501', policies: ['own'], columns: ['name'] },
};

const changeCell: Full<ChangeCell> = {
  ...{ role: 'lead', entity: 'public.rooms', verdict: 'when', words: 'own row (by owner)' },
  ...{ reason: 'row-level security: own', policies: ['own'], columns: ['name'] },
};

const topicCell: Full<TopicCell> = {
  ...{ role: 'lead', topic: 'room:%', operation: 'send', verdict: 'when', words: 'the member has role lead' },
  ...{ reason: 'row-level security: own', policies: ['own'] },
};

const edgeFunctionCell: Full<EdgeFunctionCell> = {
  ...{
    role: 'anon',
    edge_function: 'greet',
    operation: 'execute',
    verdict: 'when',
    words: 'the call has a key of the app',
  },
  reason: 'the function needs a key or a token',
};

const policy: Full<PolicyEntry> = {
  ...{ entity: 'public.rooms', name: 'own', permissive: true, command: 'update', roles: ['authenticated'] },
  ...{ using: 'a', check: 'b', words: 'own row (by owner)', comment: 'Own rooms.', sql: 'create policy own …' },
  functions: [{ id: 'public.mine()', body: 'select 1' }],
};

const advice: Full<AdviceEntry> = {
  ...{ id: 'no index: public.rooms', about: 'no index', severity: 'performance', on: 'public.rooms' },
  ...{ policies: ['own'], words: 'No index.', sql: 'create index on public.rooms (owner);' },
};

const parameter: Full<CallParameter> = {
  ...{ name: 'id', in: 'query', type: 'integer', required: true, meaning: 'The id.' },
};

const call: Full<CallEntry> = {
  ...{ id: 'rpc.public.close(integer)', area: 'rpc', method: 'POST', path: '/rest/v1/rpc/close', summary: 'Closes.' },
  ...{ entity: 'public.close(integer)', setting: 'disable_signup', roles: ['authenticated'], reads_only: true },
  ...{ writes: 'may', parameters: [parameter], returns: 'integer' },
};

const rowCall: Full<RowCall> = { method: 'GET', parameters: [parameter], returns: 'The rows.' };

const routine: Full<FunctionEntry> = {
  ...{ id: 'public.close(integer)', kind: 'function', arguments: 'id integer', returns: 'integer', language: 'sql' },
  ...{ volatility: 'volatile', runs_as: 'app_owner', strict: true, settings: ['search_path=""'] },
  ...{ effects: ['row-level security is off'], parallel: 'safe', leakproof: true, comment: 'Closes.' },
  triggers: [{ on: 'auth.users', name: 'keep', enabled: true, sql: 'CREATE TRIGGER keep …' }],
  ...{
    reaches: ['public.rooms'],
    writes: ['public.rooms'],
    sends: ['realtime.send'],
    raises: [{ sqlstate: 'P0001', message: 'No.' }],
  },
  body: 'select 1',
};

const job: Full<JobEntry> = {
  ...{ id: 'nightly', schedule: '0 3 * * *', when: 'every day at 03:00', command: 'select 1', role: 'app_owner' },
  active: true,
};

const definition: Full<DefinitionEntry> = { id: 'domain public.short', kind: 'domain', sql: 'text' };

const setting: Full<CallSetting> = {
  ...{ key: 'site_url', value: 'https://a', default: '', meaning: 'The address.', set_in: 'setting' },
};

const error: Full<ErrorLine> = {
  ...{
    id: 'function.public.close(integer).P0001',
    group: 'function',
    code: 'P0001',
    status: 400,
    statuses: [400],
    message: 'No.',
  },
  ...{ hint: 'Try later.', meaning: 'No.', action: 'Act on it.', member: 'No.', origin: 'public.close(integer)' },
  ...{ limit: 'rows', sql: 'RAISE …', caveat: 'may be caught', page: '/docs/errors/P0001' },
};

const limit: Full<LimitLine> = {
  ...{ id: 'rows', group: 'data', unit: 'count', meaning: 'Rows of a response.', default: 10, value: 20 },
  ...{ range: [1, 100] as [number, number], set_in: 'setting', change: { by: 'setting', key: 'rows' } as const },
  ...{ may_be_unlimited: true, code: 'PGRST103' },
};

/** Chapters with one or two items of each type, each with all its members. */
export const fullChapters = {
  purpose: { ...purpose, sources },
  screens: { screens: [screen], pages: [page], menus: [menu], labels: { de: { 'public.rooms': label } }, sources },
  entities: {
    ...{ entities: [entity], relations: [relation], junctions: [junction], view_foreign_keys: [viewKey] },
    ...{ buckets: [bucket], sources },
  },
  states: {
    machines: [machine],
    accounts: { states: [{ name: 'active', words: 'may sign in' }], moves: [move] },
    sources,
  },
  rules: { rules: [rule], files: [fileRule], sources },
  roles: {
    roles: [role],
    cells: [cell],
    files: [fileCell],
    changes: [changeCell],
    topics: [topicCell],
    edge_functions: [edgeFunctionCell],
    policies: [policy],
    default_privileges: [{ id: 'tables in public', words: 'New tables in public: nobody.' }],
    advice: [advice],
    sources,
  },
  calls: {
    calls: [call],
    rows: [rowCall],
    extension_functions: [{ extension: 'postgis', schema: 'public', functions: 3 }],
    functions: [routine],
    jobs: [job],
    definitions: [definition],
    settings: [setting],
    sources,
  },
  errors: { errors: [error], sources },
  limits: { limits: [limit], sources },
};

type OptionalOf<Item> = { [Name in keyof Item]-?: undefined extends Item[Name] ? Name : never }[keyof Item];
type NullableOf<Item> = { [Name in keyof Item]-?: null extends Item[Name] ? Name : never }[keyof Item];

/** Lists every member of a type that can be absent or null. A member that the list lacks is a compile error. */
const emptied = <Item>(
  optional: Record<Exclude<OptionalOf<Item>, 'figures'>, undefined>,
  nullable: Record<NullableOf<Item>, null>,
): Record<string, null | undefined> => ({ ...optional, ...nullable });

const not = undefined;

/** The members that can be absent or null, by the path of the list of their items. */
export const emptyMembers: Readonly<Record<string, Readonly<Record<string, null | undefined>>>> = {
  purpose: emptied<PurposeChapter>({}, { purpose: null, audience: null, owner: null }),
  'screens/screens': emptied<Screen>(
    {
      fields: not,
      group_by: not,
      related: not,
      actions: not,
      span: not,
      picture: not,
      empty: not,
      given: not,
      home: not,
      place: not,
    },
    { filter: null, order_by: null, state_field: null },
  ),
  'screens/pages': emptied<Page>({ home: not, place: not }, {}),
  'screens/menus': emptied<Menu>({}, { home: null }),
  'screens/menus/groups': emptied<MenuGroup>({ titles: not }, { title: null }),
  'screens/labels/de/public.rooms': emptied<LabelTexts>({ one: not, help: not }, {}),
  'entities/entities': emptied<Entity>(
    {
      ...{
        check_option: not,
        security_barrier: not,
        unlogged: not,
        period_keys: not,
        distance_indexes: not,
        computed: not,
      },
      rewrite_rules: not,
    },
    { comment: null, security: null, definition: null, extension: null },
  ),
  'entities/entities/distance_indexes': emptied<DistanceIndex>({ condition: not }, {}),
  'entities/entities/triggers': emptied<EntityTrigger>({ in_replicas: not, comment: not }, {}),
  'entities/entities/fields': emptied<Field>(
    { computed: not, attributes: not, collation: not, numbering: not, files: not, type_comments: not },
    {
      ...{ base_type: null, default: null, generated: null, identity: null, enum_values: null, comment: null },
      references: null,
    },
  ),
  'entities/entities/fields/attributes': emptied<Attribute>({ comment: not, attributes: not }, {}),
  'entities/buckets': emptied<BucketEntry>({ name: not }, { file_size_limit: null, allowed_mime_types: null }),
  'entities/relations': emptied<Relation>({ period: not, on_delete_fields: not, on_update: not }, {}),
  'states/machines/transitions': emptied<Transition>({ access: not }, { from: null, roles: null, when: null }),
  'states/accounts/moves': emptied<AccountMove>({}, { from: null, to: null, when: null }),
  'rules/rules': emptied<Rule>({}, { comment: null }),
  'roles/roles': emptied<RoleEntry>({}, { member_role: null }),
  'roles/cells': emptied<RoleCell>({ code: not }, { columns: null }),
  'roles/changes': emptied<ChangeCell>({}, { columns: null }),
  'roles/policies': emptied<PolicyEntry>({ comment: not, functions: not }, { using: null, check: null }),
  'calls/calls': emptied<CallEntry>(
    { reads_only: not, writes: not },
    { entity: null, setting: null, parameters: null, returns: null },
  ),
  // Versions of an earlier format lack what the code reaches, writes and raises. Then a comparison ignores it.
  'calls/functions': emptied<Omit<FunctionEntry, 'reaches' | 'writes' | 'raises'>>(
    { effects: not, parallel: not, leakproof: not, sends: not, triggers: not },
    { runs_as: null, comment: null },
  ),
  'calls/jobs': emptied<JobEntry>({}, { role: null }),
  'errors/errors': emptied<ErrorLine>(
    {},
    {
      ...{ code: null, status: null, message: null, hint: null, origin: null, limit: null, sql: null },
      caveat: null,
    },
  ),
  'limits/limits': emptied<LimitLine>({}, { default: null, value: null, range: null, change: null, code: null }),
};
