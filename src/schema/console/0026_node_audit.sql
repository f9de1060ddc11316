-- The log of builders also holds what they do on the node as a whole.

comment on column node.audit_log.app is 'The ref of the app, which stays when the app is deleted; empty for an event of the node.';
comment on table node.audit_log is 'What builders did on the node and in apps: who, when, from where.';
create index audit_log_node_idx on node.audit_log (at desc, id desc)
  where app = '' or action in ('app_created', 'app_cloned', 'app_deleted');
