-- How a ticket goes on, and who takes it where.

select ninefold.define_machine('public.tickets', 'status', 'new', $$[
  {"name": "take", "from": "new", "to": "open", "roles": ["agent", "lead"], "sets": {"assignee": "coalesce(assignee, auth.uid())"}},
  {"name": "ask", "from": "open", "to": "waiting", "roles": ["agent", "lead"]},
  {"name": "answer", "from": "waiting", "to": "open"},
  {"name": "solve", "from": ["new", "open", "waiting"], "to": "solved", "roles": ["agent", "lead"],
    "requires": ["solution"], "sets": {"assignee": "coalesce(assignee, auth.uid())", "solved_at": "now()"}},
  {"name": "withdraw", "from": ["new", "open", "waiting"], "to": "closed", "when": "customer = auth.uid()", "sets": {"closed_at": "now()"}},
  {"name": "close", "from": "solved", "to": "closed", "sets": {"closed_at": "now()"}},
  {"name": "reopen", "from": ["solved", "closed"], "to": "open",
    "when": "coalesce(closed_at, solved_at) > now() - interval '30 days'", "sets": {"closed_at": null}}
]$$);

-- With the rights of the customer, who may move the ticket: an answer by mail or by form comes to the same.
create function public.answer_by_comment() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  update public.tickets t set status = 'open'
  where t.id = new.ticket and t.status = 'waiting' and t.customer = new.author;
  return null;
end
$$;
comment on function public.answer_by_comment() is 'A comment of the customer answers a waiting ticket.';
revoke execute on function public.answer_by_comment() from public, anon, authenticated, service_role;
create trigger answer_by_comment after insert on public.comments for each row execute function public.answer_by_comment();
