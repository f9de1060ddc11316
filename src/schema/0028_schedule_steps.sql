-- Takes steps of cron schedules that are larger than the range of their field, as pg_cron does: '*/90 * * * *' runs at minute 0.
do $replace$
begin
  execute pg_catalog.replace(
    pg_catalog.pg_get_functiondef('ninefold.parse_schedule_field(text, integer, integer, text[])'::pg_catalog.regprocedure),
    'step between 1 and high', 'step >= 1');
end
$replace$;
