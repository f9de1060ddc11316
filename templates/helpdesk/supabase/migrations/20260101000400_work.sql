-- What the work is done with: the queue, the load of each agent, a search, and the next ticket.

create view public.queue with (security_invoker = true) as
  select t.id, t.subject, t.priority, t.status, p.name as topic, c.name as customer, a.name as assignee, t.created_at,
    (select count(*) from public.comments m where m.ticket = t.id) as comments,
    (select max(m.created_at) from public.comments m where m.ticket = t.id) as last_comment_at
  from public.tickets t
  join public.customers c on c.id = t.customer
  left join public.agents a on a.id = t.assignee
  left join public.topics p on p.id = t.topic
  where t.status in ('new', 'open', 'waiting')
  order by t.priority desc, t.created_at;
comment on view public.queue is 'Tickets that are not solved yet, the most urgent and then the oldest first; for a customer, the own ones.';
revoke all on public.queue from anon, authenticated;
grant select on public.queue to authenticated;

create view public.workload with (security_invoker = true) as
  select a.id, a.name,
    count(*) filter (where t.status = 'open') as open,
    count(*) filter (where t.status = 'waiting') as waiting,
    count(*) filter (where t.solved_at > now() - interval '7 days') as solved_in_7_days
  from public.agents a left join public.tickets t on t.assignee = a.id
  group by a.id, a.name
  order by a.name;
comment on view public.workload is 'How many tickets each agent has, of those that the reader may see.';
revoke all on public.workload from anon, authenticated;
grant select on public.workload to authenticated;

create function public.search_tickets(words text) returns setof public.tickets
  language sql stable
  set search_path = ''
begin atomic
  select t.* from public.tickets t
  where to_tsvector('simple', t.subject || ' ' || t.description || ' ' || coalesce(t.solution, ''))
    @@ websearch_to_tsquery('simple', search_tickets.words)
  order by t.created_at desc, t.id desc
  limit 100;
end;
comment on function public.search_tickets(text) is
  'The newest 100 tickets with these words, written as for a web search: refund "last month" -invoice.';
revoke execute on function public.search_tickets(text) from public, anon;

create function public.take_next_ticket() returns public.tickets
  language plpgsql
  set search_path = ''
as $$
declare
  taken public.tickets;
begin
  update public.tickets t set status = 'open'
  where t.id = (
    select n.id from public.tickets n
    where n.status = 'new' and (n.assignee is null or n.assignee = (select auth.uid()))
    order by n.priority desc, n.created_at, n.id
    limit 1
    for update skip locked
  )
  returning * into taken;
  if not found then
    raise exception using errcode = 'HD003',
      message = 'No new ticket is waiting.',
      hint = 'Look into the queue for tickets that wait for an answer.';
  end if;
  return taken;
end
$$;
comment on function public.take_next_ticket() is
  'Takes the most urgent new ticket, the oldest of them; two agents at once get two tickets.';
revoke execute on function public.take_next_ticket() from public, anon;
