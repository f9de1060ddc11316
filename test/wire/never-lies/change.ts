/**
 * SQL as the app's owner, SQL as the superuser, or a setting and its value. In SQL {database}, {owner} and {authenticator} stand for the app's
 * database, its owner and its login role.
 */
export type Step = string | { readonly superuser: string } | { readonly setting: string; readonly value: unknown };

/** Something that is done to the app from outside, what the chapter says of it, and what takes it back. */
export interface Change {
  /** The chapter by its number. */
  readonly chapter: number;
  readonly does: Step;
  readonly undoes: Step;
  /** What a line of the chapter says with the change, or no longer says. */
  readonly says: RegExp;
}

export const change = (chapter: number, does: Step, undoes: Step, says: RegExp): Change => ({
  chapter,
  does,
  undoes,
  says,
});

/** A setting and what a chapter says of it; taken back to its default. */
export const setting = (chapter: number, key: string, value: unknown, says: RegExp): Change => ({
  chapter,
  does: { setting: key, value },
  undoes: { setting: key, value: undefined },
  says,
});

export const describe = (name: string, purpose: string, audience: string, owner: string): string =>
  `select ninefold.describe_app('${name}', '${purpose}', '${audience}', '${owner}')`;
export const described = describe('Desk', 'Answers questions', 'Customers', 'Ada');

export const screen = (columns: string, order = 'title', title = 'Inbox', roles = 'agent'): string =>
  `select ninefold.define_screen('/inbox', '${title}', 'list', 'public.tickets', array[${columns}], null, '${order}', array['${roles}'])`;
export const screened = screen(`'title', 'status'`);

export const policy = (name: string, on: string, rest: string): string =>
  `create policy ${name} on public.${on} ${rest}`;
export const own = '(owner_id = (select auth.uid()))';
export const replaced = (name: string, on: string, now: string, before: string): [string, string] => [
  `drop policy ${name} on public.${on}; ${policy(name, on, now)}`,
  `drop policy ${name} on public.${on}; ${policy(name, on, before)}`,
];

export const addVote = (body: string, options = `set search_path = ''`): string =>
  `create or replace function public.add_vote(ticket int) returns int language ${body.includes('begin') ? 'plpgsql' : 'sql'} ${options} as $$ ${body} $$`;
export const votes = addVote('update public.tickets set votes = votes + 1 where id = ticket returning votes');
export const raising = (what: string): string => addVote(`begin ${what}; return 1; end`);

export const view = (where: string, options = 'with (security_invoker)'): string =>
  `create or replace view public.open_tickets ${options} as select id, title from public.tickets where ${where}`;
export const viewed = `${view(`status <> 'closed'`)}`;
