-- What the app is for, and the screens that its members work with.

select ninefold.describe_app(
  name => 'Notes',
  purpose => 'Members write notes for themselves, and publish some of them in notebooks that they share by invitation.',
  audience => 'People who write, alone or with a few others.'
);

select ninefold.define_screen('/drafts', 'Drafts', 'list', 'public.notes',
  columns => array['title', 'notebook', 'updated_at'], filter => 'status=eq.draft', order_by => 'updated_at.desc', place => 1);
select ninefold.define_screen('/published', 'Published', 'list', 'public.notes',
  columns => array['title', 'notebook', 'published_at'], filter => 'status=eq.published', order_by => 'published_at.desc', place => 2);
select ninefold.define_screen('/archive', 'Archive', 'list', 'public.notes',
  columns => array['title', 'archived_at'], filter => 'status=eq.archived', order_by => 'archived_at.desc', place => 4);
select ninefold.define_screen('/notes/new', 'Write', 'form', 'public.notes', columns => array['title', 'notebook', 'body', 'pictures']);
select ninefold.define_screen('/library', 'Notebooks', 'list', 'public.library',
  columns => array['title', 'own', 'rights', 'published', 'drafts', 'updated_at'],
  actions => array['public.join_notebook'], place => 3);
select ninefold.define_screen('/notebooks/new', 'A notebook', 'form', 'public.notebooks', columns => array['title']);
select ninefold.define_screen('/shares', 'Who may use what', 'list', 'public.shares', order_by => 'since.desc');
select ninefold.define_screen('/invitations/new', 'Invite', 'form', 'public.invitations',
  columns => array['notebook', 'rights', 'expires_at']);
select ninefold.define_screen('/tags/new', 'A tag', 'form', 'public.tags', columns => array['name', 'color']);
