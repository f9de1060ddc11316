-- What the helpdesk is about: tickets, what was said about them, and the topics that they are sorted by.

-- Topics ----------------------------------------------------------------------------------------------------------------------
create table public.topics (
  id bigint generated always as identity primary key,
  name text not null constraint topics_name_length check (length(name) between 1 and 60),
  constraint topics_name_once unique (name)
);
comment on table public.topics is 'What tickets can be about.';
comment on column public.topics.id is 'Its number.';
comment on column public.topics.name is 'As customers choose it.';
comment on constraint topics_name_length on public.topics is 'A topic is 1 to 60 characters.';
comment on constraint topics_name_once on public.topics is 'There is a topic of this name already.';

revoke all on public.topics from anon, authenticated;
grant select, insert (name), update (name), delete on public.topics to authenticated;

alter table public.topics enable row level security;
create policy "topics are known" on public.topics for select to authenticated using (true);
create policy "leads add topics" on public.topics for insert to authenticated with check ((select ninefold.has_role('lead')));
create policy "leads rename topics" on public.topics for update to authenticated using ((select ninefold.has_role('lead')));
create policy "leads delete topics" on public.topics for delete to authenticated using ((select ninefold.has_role('lead')));

-- Tickets ---------------------------------------------------------------------------------------------------------------------
create type public.ticket_status as enum ('new', 'open', 'waiting', 'solved', 'closed');
create type public.ticket_priority as enum ('low', 'normal', 'high', 'urgent');

create table public.tickets (
  id bigint generated always as identity primary key,
  customer uuid not null default auth.uid() references public.customers (id) on delete cascade,
  topic bigint references public.topics (id) on delete set null,
  subject text not null constraint tickets_subject_length check (length(subject) between 3 and 200),
  description text not null constraint tickets_description_length check (length(description) between 1 and 10000),
  priority public.ticket_priority not null default 'normal',
  status public.ticket_status not null default 'new',
  assignee uuid references public.agents (id) on delete set null,
  solution text constraint tickets_solution_length check (length(solution) between 1 and 10000),
  created_at timestamptz not null default now(),
  solved_at timestamptz,
  closed_at timestamptz
);
create index tickets_customer on public.tickets (customer);
create index tickets_assignee on public.tickets (assignee);
create index tickets_topic on public.tickets (topic);
create index tickets_queue on public.tickets (status, priority desc, created_at);
comment on table public.tickets is 'What customers ask for, from the first word to the solution.';
comment on column public.tickets.id is 'Its number, which the customer can name.';
comment on column public.tickets.customer is 'Who asks; the caller, when left out.';
comment on column public.tickets.topic is 'What it is about.';
comment on column public.tickets.subject is 'In one line.';
comment on column public.tickets.description is 'What the customer wrote.';
comment on column public.tickets.priority is 'How urgent it is; the team says so.';
comment on column public.tickets.status is 'Where it stands: see the states.';
comment on column public.tickets.assignee is 'The agent who sees to it.';
comment on column public.tickets.solution is 'What solved it, for the customer to read.';
comment on column public.tickets.created_at is 'When the customer asked.';
comment on column public.tickets.solved_at is 'When it was solved last.';
comment on column public.tickets.closed_at is 'When it was closed; empty while it is not.';
comment on constraint tickets_topic_fkey on public.tickets is 'There is no such topic.';
comment on constraint tickets_subject_length on public.tickets is 'A subject is 3 to 200 characters.';
comment on constraint tickets_description_length on public.tickets is 'A description is 1 to 10,000 characters.';
comment on constraint tickets_solution_length on public.tickets is 'A solution is 1 to 10,000 characters.';
comment on constraint tickets_assignee_fkey on public.tickets is 'Tickets are assigned to agents.';

revoke all on public.tickets from anon, authenticated;
grant select, insert (customer, topic, subject, description),
  update (topic, subject, description, priority, status, assignee, solution), delete on public.tickets to authenticated;

alter table public.tickets enable row level security;
create policy "own tickets, and all for the team" on public.tickets for select to authenticated using (
  (select auth.uid()) = customer or (select ninefold.has_role('agent')) or (select ninefold.has_role('lead')));
create policy "customers ask, the team asks for them" on public.tickets for insert to authenticated with check (
  (select auth.uid()) = customer or (select ninefold.has_role('agent')) or (select ninefold.has_role('lead')));
create policy "the customer and the team move a ticket on" on public.tickets for update to authenticated using (
  (select auth.uid()) = customer or (select ninefold.has_role('agent')) or (select ninefold.has_role('lead')));
create policy "leads delete tickets" on public.tickets for delete to authenticated using ((select ninefold.has_role('lead')));

-- Rights on columns are the same for all members, so what only the team may write is kept here.
create function public.keep_team_fields() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  if current_user = 'authenticated' and not (ninefold.has_role('agent') or ninefold.has_role('lead')) then
    raise exception using errcode = 'HD001',
      message = 'Only the team changes a ticket’s topic, subject, description, priority, assignee and solution.',
      hint = 'Say it in a comment.';
  end if;
  return new;
end
$$;
comment on function public.keep_team_fields() is 'Refuses what customers may not change of their tickets.';
revoke execute on function public.keep_team_fields() from public, anon, authenticated, service_role;
create trigger keep_team_fields before update of topic, subject, description, priority, assignee, solution on public.tickets
  for each row execute function public.keep_team_fields();

-- Comments --------------------------------------------------------------------------------------------------------------------
create table public.comments (
  id bigint generated always as identity primary key,
  ticket bigint not null references public.tickets (id) on delete cascade,
  author uuid default auth.uid() references auth.users (id) on delete set null,
  author_name text not null default '',
  body text not null constraint comments_body_length check (length(body) between 1 and 10000),
  internal boolean not null default false,
  created_at timestamptz not null default now()
);
create index comments_ticket on public.comments (ticket, created_at);
create index comments_author on public.comments (author);
comment on table public.comments is 'What was said about a ticket. What was said stays said: there is no changing it.';
comment on column public.comments.id is 'Its number.';
comment on column public.comments.ticket is 'What it is about.';
comment on column public.comments.author is 'Who said it; empty once that member is gone.';
comment on column public.comments.author_name is 'The author’s name at that time: of the agent, else of the customer. Filled in.';
comment on column public.comments.internal is 'A note among the team, which the customer does not see.';
comment on column public.comments.body is 'What was said.';
comment on column public.comments.created_at is 'When it was said.';
comment on constraint comments_ticket_fkey on public.comments is 'There is no such ticket.';
comment on constraint comments_body_length on public.comments is 'A comment is 1 to 10,000 characters.';

revoke all on public.comments from anon, authenticated;
grant select, insert (ticket, body, internal), delete on public.comments to authenticated;

alter table public.comments enable row level security;
create policy "with the ticket, internal ones for the team" on public.comments for select to authenticated using (
  (select ninefold.has_role('agent')) or (select ninefold.has_role('lead'))
  or not internal and ticket in (select t.id from public.tickets t where t.customer = (select auth.uid())));
create policy "on own tickets, the team on all" on public.comments for insert to authenticated with check (
  (select auth.uid()) = author and (
    (select ninefold.has_role('agent')) or (select ninefold.has_role('lead'))
    or not internal and ticket in (select t.id from public.tickets t where t.customer = (select auth.uid()))));
comment on policy "with the ticket, internal ones for the team" on public.comments is
  'comment on an own ticket, not internal (agent, lead: any comment)';
comment on policy "on own tickets, the team on all" on public.comments is
  'own comment on an own ticket, not internal (agent, lead: on any ticket, internal too)';
create policy "leads delete comments" on public.comments for delete to authenticated using ((select ninefold.has_role('lead')));

create function public.sign_comment() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  if exists (select from public.tickets t where t.id = new.ticket and t.status = 'closed') then
    raise exception using errcode = 'HD002',
      message = 'The ticket is closed.',
      hint = 'Reopen it first, or open a new one.';
  end if;
  new.author_name := coalesce(
    (select a.name from public.agents a where a.id = new.author),
    (select c.name from public.customers c where c.id = new.author),
    nullif(new.author_name, ''),
    'Helpdesk');
  return new;
end
$$;
comment on function public.sign_comment() is 'Refuses comments on closed tickets, and writes the author’s name.';
revoke execute on function public.sign_comment() from public, anon, authenticated, service_role;
create trigger sign_comment before insert on public.comments for each row execute function public.sign_comment();
