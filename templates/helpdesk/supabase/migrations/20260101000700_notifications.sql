-- Who is told of what. Nobody is told of an own change, nor of a comment that the member may not read.

select ninefold.notify('public.comments', 'mention', 'body', about => 'ticket');
select ninefold.notify('public.comments', 'reference', 'ticket', tell => array['customer', 'assignee']);
select ninefold.notify('public.tickets', 'assignment', 'assignee');
select ninefold.notify('public.tickets', 'transition', 'status', tell => array['customer', 'assignee'],
  transitions => array['ask', 'solve', 'withdraw', 'reopen']);
