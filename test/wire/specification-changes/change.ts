/**
 * SQL as the app's owner, SQL as the superuser, or a setting with its value. In SQL, {database}, {owner} and
 * {authenticator} stand for the app's database, its owner and its login role.
 */
export type Step = string | { readonly superuser: string } | { readonly setting: string; readonly value: unknown };

/** A change that is made to the app from outside, its effect on a chapter, and the step that undoes it. */
export interface Change {
  /** The number of the chapter. */
  readonly chapter: number;
  readonly does: Step;
  readonly undoes: Step;
  /** Matches a line of the chapter that appears or disappears with the change. */
  readonly says: RegExp;
}

export const change = (chapter: number, does: Step, undoes: Step, says: RegExp): Change => ({
  chapter,
  does,
  undoes,
  says,
});

/** Returns a change of a setting and its effect on a chapter; the setting is reset to its default afterwards. */
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
