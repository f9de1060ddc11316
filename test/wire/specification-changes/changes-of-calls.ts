import { machine } from './app.ts';
import { addVote, type Change, change, own, policy, raising, replaced, setting, votes } from './change.ts';

/** Changes for chapters 6 to 9. */
export const changesOfCalls: readonly Change[] = [
  // Chapter 2, Screens: the roles of screens in chapter 6
  change(
    2,
    'revoke select on public.tickets from authenticated',
    'grant select on public.tickets to authenticated',
    /`\/inbox` is broken: the role agent may not read public\.tickets: no SELECT privilege/,
  ),

  // Chapter 6, Roles
  change(
    6,
    ...replaced(
      'own_tickets',
      'tickets',
      'for select to authenticated using (true)',
      `for select to authenticated using ${own}`,
    ),
    /\| select \|.*always/,
  ),
  change(
    6,
    ...replaced(
      'own_tickets',
      'tickets',
      'for select to authenticated using (owner_id = (select auth.uid()) and votes > 5)',
      `for select to authenticated using ${own}`,
    ),
    /votes/,
  ),
  change(
    6,
    'drop policy own_tickets on public.tickets',
    policy('own_tickets', 'tickets', `for select to authenticated using ${own}`),
    /own_tickets/,
  ),
  change(
    6,
    policy('anybody', 'tickets', 'for select to anon using (priority = $$low$$)'),
    'drop policy anybody on public.tickets',
    /anybody|low/,
  ),
  change(
    6,
    policy('no_rude', 'tickets', 'as restrictive for select to authenticated using (votes >= 0)'),
    'drop policy no_rude on public.tickets',
    /no_rude/,
  ),
  change(
    6,
    policy('dropping', 'tickets', `for delete to authenticated using ${own}`),
    'drop policy dropping on public.tickets',
    /\| delete \| –.*when own row/,
  ),
  change(6, 'revoke insert on public.plain from anon', 'grant insert on public.plain to anon', /\| insert \| –/),
  change(
    7,
    'revoke update on public.plain from anon',
    'grant update on public.plain to anon',
    /POST \/rest\/v1\/plain.*An upsert that changes a row is refused to anon \(42501\)/,
  ),
  change(
    7,
    'create rule noted as on update to public.plain do also notify noted; alter table public.plain disable rule noted',
    'drop rule noted on public.plain',
    /POST \/rest\/v1\/plain.*Every upsert is refused \(0A000\), because of the rewrite rule noted/,
  ),
  change(
    6,
    'revoke select on public.plain from authenticated',
    'grant select on public.plain to authenticated',
    /\| select \| always \| –/,
  ),
  change(
    6,
    'alter table public.plain enable row level security',
    'alter table public.plain disable row level security',
    /\| select \| – \| –/,
  ),
  change(
    6,
    'alter table public.customers disable row level security',
    'alter table public.customers enable row level security',
    /\| select \|.*always/,
  ),
  change(
    6,
    'revoke execute on function public.add_vote(int) from anon, public',
    'grant execute on function public.add_vote(int) to public; grant execute on function public.add_vote(int) to anon',
    /add_vote.*–/,
  ),
  change(
    6,
    'alter policy own_customers on public.customers rename to mine',
    'alter policy mine on public.customers rename to own_customers',
    /\*\*mine\*\*/,
  ),
  change(
    6,
    `comment on policy own_customers on public.customers is 'Only who you are'`,
    'comment on policy own_customers on public.customers is null',
    /Only who you are/,
  ),
  change(
    6,
    'alter policy own_customers on public.customers to public',
    'alter policy own_customers on public.customers to authenticated',
    /own_customers/,
  ),
  change(6, 'revoke usage on schema public from public, anon', 'grant usage on schema public to public, anon', /–/),
  change(
    6,
    'revoke update on public.plain from authenticated; grant update (note) on public.plain to authenticated',
    'revoke update (note) on public.plain from authenticated; grant update on public.plain to authenticated',
    /1 of 2 fields/,
  ),
  change(
    6,
    'revoke select on public.plain from anon; grant select (note) on public.plain to anon',
    'revoke select (note) on public.plain from anon; grant select on public.plain to anon',
    /Fields read by anon: `note`/,
  ),
  change(6, `select ninefold.define_role('lead', 'Leads the agents')`, `select ninefold.drop_role('lead')`, /lead/),
  change(
    6,
    policy('agents', 'tickets', `for select to authenticated using ((select ninefold.has_role('agent')))`),
    'drop policy agents on public.tickets',
    /agent/,
  ),
  {
    chapter: 6,
    does: {
      superuser: `create function public.root() returns text language sql security definer set search_path = '' as $$ select current_user::text $$`,
    },
    undoes: { superuser: 'drop function public.root()' },
    says: /Security\*\*, public\.root\(\): .*belongs to a superuser/,
  },
  change(
    6,
    `create function public.takes() returns trigger language plpgsql as 'begin return new; end';
      create trigger takes instead of insert on public.open_tickets for each row execute function public.takes()`,
    'drop function public.takes() cascade',
    /\| insert \| as its trigger allows \| as its trigger allows/,
  ),

  // Chapter 7, Calls
  change(7, 'create table public.extra (id int primary key)', 'drop table public.extra', /\/rest\/v1\/extra/),
  change(
    7,
    'alter table public.plain rename to simple',
    'alter table public.simple rename to plain',
    /\/rest\/v1\/simple/,
  ),
  change(7, 'drop function public.add_vote(int)', votes, /rpc\/add_vote/),
  change(
    7,
    'create function public.hello() returns text language sql stable as $$ select $q$hi$q$ $$',
    'drop function public.hello()',
    /rpc\/hello/,
  ),
  change(
    7,
    'drop function public.add_vote(int); create function public.add_vote(ticket int, by int default 1) returns int language sql as $$ select 1 $$',
    `drop function public.add_vote(int, int); ${votes}`,
    /add_vote.*by\?/,
  ),
  change(
    7,
    `create function public.join_all(first int, variadic others int[] default '{}') returns int language sql as $$ select first $$`,
    'drop function public.join_all(int, int[])',
    /POST.*rpc\/join\\?_all`.*\| first, others \|/,
  ),
  change(
    7,
    `comment on function public.add_vote(int) is 'One more vote'`,
    'comment on function public.add_vote(int) is null',
    /One more vote/,
  ),
  change(
    7,
    'revoke all on public.plain from anon',
    'grant all on public.plain to anon',
    /GET \/rest\/v1\/plain.*\| authenticated, agent, service_role/,
  ),
  change(7, `${addVote('select 1', 'stable')}`, votes, /POST.*add_vote.*only reads/),
  setting(7, 'db_schemas', ['public', 'gone'], /there is no schema gone/),
  setting(7, 'openapi_mode', 'disabled', /GET \/rest\/v1\/`/),
  change(
    7,
    'comment on schema public is $$The desk’s own calls$$',
    `comment on schema public is 'standard public schema'`,
    /described as “The desk’s own calls”/,
  ),
  setting(7, 'disable_signup', true, /signup/),
  setting(7, 'db_schemas', ['public', 'auth'], /auth|rest/),

  // Chapter 8, Errors
  change(8, raising(`raise exception 'the box is full' using errcode = 'BX001'`), votes, /BX001/),
  change(8, raising(`raise sqlstate 'PT402' using message = 'pay first'`), votes, /PT402.*402|402.*PT402/),
  change(8, raising(`raise exception 'nothing left'`), votes, /Nothing left/),
  change(
    8,
    'alter table public.plain add constraint short check (char_length(note) <= 10)',
    'alter table public.plain drop constraint short',
    /10/,
  ),
  change(
    8,
    `comment on constraint votes_positive on public.tickets is 'Nobody votes against'`,
    'comment on constraint votes_positive on public.tickets is null',
    /Nobody votes against/,
  ),
  change(
    8,
    'alter table public.tickets drop constraint votes_positive',
    'alter table public.tickets add constraint votes_positive check (votes >= 0)',
    /votes/,
  ),
  change(
    8,
    'alter table public.plain add constraint note_unique unique (note)',
    'alter table public.plain drop constraint note_unique',
    /note/,
  ),
  change(
    8,
    'alter table public.comments drop constraint comments_ticket_id_fkey, add constraint comments_ticket_id_fkey foreign key (ticket_id) references public.tickets (id) on delete restrict',
    'alter table public.comments drop constraint comments_ticket_id_fkey, add constraint comments_ticket_id_fkey foreign key (ticket_id) references public.tickets (id)',
    /`23001` \| 400 \| ticket_id is the id of a row in tickets: the call deletes a row that other rows refer to/,
  ),
  change(8, `select ninefold.drop_machine('public.tickets', 'status')`, machine(), /status|transition/),

  // Chapter 9, Limits
  setting(9, 'db_max_rows', 50, /\b50\b/),
  setting(9, 'db_max_rows', null, /no limit|none|unlimited|–/i),
  setting(9, 'db_statement_timeout', 1234, /1,?234/),
  setting(9, 'jwt_exp', 600, /\b600\b/),
  setting(9, 'password_min_length', 12, /\b12\b/),
];
