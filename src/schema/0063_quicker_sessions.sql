-- What a sign-in, a refresh and a link write: fewer indexes, and new versions of rows that stay on their page.

-- Every token, session and entry was written to these indexes, and no statement of the server reads them. instance_id is the same in all
-- rows; sessions_user_id_idx is the beginning of user_id_created_at_idx.
drop index if exists
  auth.refresh_tokens_instance_id_idx,
  auth.refresh_tokens_instance_id_user_id_idx,
  auth.refresh_tokens_parent_idx,
  auth.refresh_tokens_updated_at_idx,
  auth.sessions_user_id_idx,
  auth.sessions_not_after_idx,
  auth.audit_logs_instance_id_idx;

-- A used token gets `revoked` and `updated_at`. Neither is in an index now, so with room on the page its new version stays there.
create index if not exists refresh_tokens_session_id_idx on auth.refresh_tokens (session_id, id);
drop index if exists auth.refresh_tokens_session_id_revoked_idx;
alter table auth.refresh_tokens set (fillfactor = 80);

-- A mail with a link sets a token of the account and the use of the link clears it. Each change wrote an entry to all indexes of the table,
-- the one for the search included. Tokens are looked up in auth.one_time_tokens.
drop index if exists
  auth.confirmation_token_idx,
  auth.recovery_token_idx,
  auth.email_change_token_current_idx,
  auth.email_change_token_new_idx,
  auth.reauthentication_token_idx,
  auth.users_instance_id_idx,
  auth.users_instance_id_email_idx;
