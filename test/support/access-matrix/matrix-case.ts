/** A schema with grants and policies. A test compares chapter 6 of this schema with what PostgreSQL permits. */
export interface MatrixCase {
  name: string;
  /** SQL that creates the objects of the case. The app's owner runs the part before `reset role`, the superuser the part after it. */
  sql: string;
  /** The roles whose cells are tested. By default: anon, authenticated, service_role and agent. */
  roles?: string[];
  /** Name of the table that contains all rows of the case. It is needed if a view hides some rows from every role. */
  rowsOf?: string;
}

/** The ids of the members Ada and Bob. Each test row belongs to Ada, to Bob or to nobody. */
export const members = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;
const [ada, bob] = members;

export const to = 'anon, authenticated, service_role, agent';

/** The columns of every tested table. */
export const columns = `id int primary key, owner uuid, note text default 'note', status text default 'open', secret text default 's'`;
export const rows = (name: string) =>
  `insert into ${name} (id, owner, status) values (1, '${ada}', 'open'), (2, '${bob}', 'open'), (3, '${ada}', 'closed'), (4, null, 'open');`;

export const bare = (name = 't') => `create table ${name} (${columns}); ${rows(name)}`;
export const granted = (name = 't') => `${bare(name)} grant all on ${name} to ${to};`;
export const secured = (name = 't') => `${granted(name)} alter table ${name} enable row level security;`;

export const own = '(select auth.uid()) = owner';
export const teams = `create table m (user_id uuid, team int); insert into m values ('${ada}', 1);`;
