-- Rows that prove how far a restored backup goes: one is written each minute.

create table node.backup_marks (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp()
);
comment on table node.backup_marks is 'One row for each minute with backups, kept for two days. A drill looks for the rows before and after the time that it restores.';
