-- What the app is for, and the screens that its members work with.

select ninefold.describe_app(
  name => 'Helpdesk',
  purpose => 'Customers ask, agents answer: every question is a ticket that is taken, answered and solved, and can be reopened for 30 days.',
  audience => 'Customers who sign up by themselves, and the team that answers them.'
);

select ninefold.define_screen('/queue', 'Queue', 'list', 'public.queue',
  columns => array['id', 'subject', 'priority', 'status', 'topic', 'customer', 'assignee', 'created_at', 'last_comment_at'],
  roles => array['agent', 'lead'], actions => array['public.take_next_ticket'], empty => 'Nobody waits for an answer.');
select ninefold.define_screen('/tickets/board', 'Board', 'board', 'public.tickets',
  columns => array['id', 'subject', 'priority', 'assignee'],
  filter => 'status=neq.closed', order_by => 'priority.desc,created_at', roles => array['agent', 'lead']);
select ninefold.define_screen('/unassigned', 'New and unassigned', 'list', 'public.tickets',
  columns => array['id', 'subject', 'topic', 'priority', 'created_at'],
  filter => 'status=eq.new&assignee=is.null', order_by => 'priority.desc,created_at', roles => array['agent', 'lead']);
select ninefold.define_screen('/workload', 'Who has what', 'list', 'public.workload', roles => array['lead']);
-- The tickets that a customer has opened, and for an agent also those that are assigned to the agent.
select ninefold.define_screen('/my-tickets', 'My tickets', 'list', 'public.tickets',
  columns => array['id', 'subject', 'status', 'created_at', 'solved_at'],
  filter => 'or=(customer.eq.auth.uid(),assignee.eq.auth.uid())', order_by => 'created_at.desc', roles => array['authenticated']);
select ninefold.define_screen('/tickets', 'Tickets', 'list', 'public.tickets',
  columns => array['id', 'subject', 'status', 'created_at', 'solved_at'], order_by => 'created_at.desc',
  roles => array['agent', 'lead']);
-- Customers may not write internal notes, so their form has no field for it. Of several forms, a page offers the first by its route.
select ninefold.define_screen('/comments/internal', 'Say something or note it', 'form', 'public.comments',
  columns => array['ticket', 'body', 'attachments', 'internal'], roles => array['agent', 'lead']);
select ninefold.define_screen('/comments/new', 'Say something', 'form', 'public.comments',
  columns => array['ticket', 'body', 'attachments']);
select ninefold.define_screen('/tickets/new', 'Ask for help', 'form', 'public.tickets',
  columns => array['topic', 'subject', 'description', 'attachments'], roles => array['authenticated']);
select ninefold.define_screen('/agents/new', 'An agent', 'form', 'public.agents',
  columns => array['id', 'name', 'lead'], roles => array['lead']);
select ninefold.define_screen('/topics/new', 'A topic', 'form', 'public.topics', columns => array['name'], roles => array['lead']);
select ninefold.define_screen('/customers/new', 'My profile', 'form', 'public.customers', columns => array['name', 'company'],
  roles => array['authenticated']);
