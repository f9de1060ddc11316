-- Who uses the helpdesk: customers, who are all members, and agents, who are made by leads.

select ninefold.define_role('agent', 'Answers tickets.');
select ninefold.define_role('lead', 'Sees to the team: makes agents, keeps the topics, deletes tickets.');

-- Customers -------------------------------------------------------------------------------------------------------------------
create table public.customers (
  id uuid primary key references auth.users (id) on delete cascade,
  name text not null constraint customers_name_length check (length(name) between 1 and 120),
  email text,
  company text constraint customers_company_length check (length(company) between 1 and 120),
  created_at timestamptz not null default now()
);
comment on table public.customers is 'Everybody who has signed up: one row for each member, made at sign-up.';
comment on column public.customers.id is 'The member.';
comment on column public.customers.name is 'As agents see it: from “name” of the sign-up, else from the e-mail address.';
comment on column public.customers.email is 'The member’s address, kept as it is in the account.';
comment on column public.customers.company is 'Where the customer works.';
comment on column public.customers.created_at is 'When the customer signed up.';
comment on constraint customers_name_length on public.customers is 'A name is 1 to 120 characters.';
comment on constraint customers_company_length on public.customers is 'A company is 1 to 120 characters, or left out.';

revoke all on public.customers from anon, authenticated;
grant select, update (name, company) on public.customers to authenticated;

alter table public.customers enable row level security;
create policy "own profile, and all for the team" on public.customers for select to authenticated using (
  (select auth.uid()) = id or (select ninefold.has_role('agent')) or (select ninefold.has_role('lead')));
create policy "own profile" on public.customers for update to authenticated
  using ((select auth.uid()) = id) with check ((select auth.uid()) = id);

-- As the owner of the tables: whoever signs up has no rights yet. It takes what it finds, so that no sign-up fails of it.
create function public.keep_customer() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  insert into public.customers (id, name, email)
  values (
    new.id,
    left(coalesce(nullif(btrim(new.raw_user_meta_data ->> 'name'), ''), nullif(split_part(new.email, '@', 1), ''), 'Guest'), 120),
    new.email
  )
  on conflict (id) do update set email = excluded.email;
  return null;
end
$$;
comment on function public.keep_customer() is 'Makes the customer of a new member, and follows a changed address.';
revoke execute on function public.keep_customer() from public, anon, authenticated, service_role;
create trigger keep_customer after insert or update of email on auth.users
  for each row execute function public.keep_customer();

-- Agents ----------------------------------------------------------------------------------------------------------------------
create table public.agents (
  id uuid primary key references public.customers (id) on delete cascade,
  name text not null constraint agents_name_length check (length(name) between 1 and 120),
  lead boolean not null default false,
  since timestamptz not null default now()
);
comment on table public.agents is 'The team. Who has a row here has the role agent, and with “lead” the role lead too.';
comment on column public.agents.id is 'The member.';
comment on column public.agents.name is 'As customers see it.';
comment on column public.agents.lead is 'Whether the agent leads the team.';
comment on column public.agents.since is 'When the agent joined the team.';
comment on constraint agents_id_fkey on public.agents is 'Agents are members who have signed up.';
comment on constraint agents_name_length on public.agents is 'A name is 1 to 120 characters.';

revoke all on public.agents from anon, authenticated;
grant select, insert (id, name, lead), update (name, lead), delete on public.agents to authenticated;

alter table public.agents enable row level security;
create policy "the team is known" on public.agents for select to authenticated using (true);
create policy "leads make agents" on public.agents for insert to authenticated
  with check ((select ninefold.has_role('lead')));
-- So that no lead is the last one to go.
create policy "leads change others" on public.agents for update to authenticated
  using ((select ninefold.has_role('lead')) and (select auth.uid()) <> id);
create policy "leads dismiss others" on public.agents for delete to authenticated
  using ((select ninefold.has_role('lead')) and (select auth.uid()) <> id);

-- As the owner of the tables, who may give roles; the policies above say who gets as far as here.
create function public.keep_team_roles() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    perform ninefold.revoke_role(old.id, 'agent'), ninefold.revoke_role(old.id, 'lead');
    return null;
  end if;
  perform ninefold.grant_role(new.id, 'agent');
  if new.lead then
    perform ninefold.grant_role(new.id, 'lead');
  else
    perform ninefold.revoke_role(new.id, 'lead');
  end if;
  return null;
end
$$;
comment on function public.keep_team_roles() is 'Gives and takes the roles agent and lead as the rows of agents say.';
revoke execute on function public.keep_team_roles() from public, anon, authenticated, service_role;
create trigger keep_team_roles after insert or update of lead or delete on public.agents
  for each row execute function public.keep_team_roles();
