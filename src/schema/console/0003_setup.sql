-- The secret of the link with which the first builder is created. All nodes of the server show the same link.
create table node.setup_link (
  is_only boolean primary key default true check (is_only),
  sealed text not null
);
comment on table node.setup_link is 'The secret of the one-time set-up link, sealed with the node''s master key.';
