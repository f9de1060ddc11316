-- Mails that wait to be sent, were sent, or are kept for the Mail page. The calls of sign-in write them in the transaction that
-- makes their token; the node renders and sends them.

create table ninefold.mails (
  id uuid not null default gen_random_uuid(),
  kind text not null,
  recipient text not null,
  user_id uuid references auth.users (id) on delete set null,
  -- The values for the template of this kind.
  data jsonb not null default '{}',
  created_at timestamptz not null default now(),
  constraint mails_pkey primary key (id)
);
alter table ninefold.mails owner to supabase_auth_admin;
comment on table ninefold.mails is 'Mails to members: queued, sent, or kept where no mail server is set.';
create index mails_created_at_idx on ninefold.mails (created_at desc, id);
