-- Notifications of members. A member gets none about an own change, and none about a comment that the member may not read.

select ninefold.notify('public.comments', 'mention', 'body', about => 'ticket');
select ninefold.notify('public.comments', 'reference', 'ticket', tell => array['customer', 'assignee']);
select ninefold.notify('public.tickets', 'assignment', 'assignee');
select ninefold.notify('public.tickets', 'transition', 'status', tell => array['customer', 'assignee'],
  transitions => array['ask', 'solve', 'withdraw', 'reopen']);
