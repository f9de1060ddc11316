-- The trace of the request that queues an HTTP request (W3C Trace Context). The node sends it as headers, unless the request has its own. A
-- database with the schema net of pg_net has no such queue.
do $install$
begin
  if exists (
    select from pg_catalog.pg_class c join pg_catalog.pg_roles r on r.oid = c.relowner
    where c.oid = to_regclass('net.http_request_queue') and c.relkind = 'r' and r.rolsuper
  ) and exists (
    select from pg_catalog.pg_proc p join pg_catalog.pg_roles r on r.oid = p.proowner
    where p.pronamespace = to_regnamespace('net') and p.proname = '_queue_request' and r.rolsuper
  ) then
    -- The defaults read the setting as text, because an app can set it to anything.
    alter table net.http_request_queue
      add column traceparent text default pg_catalog.substring(
        pg_catalog.current_setting('request.headers', true), '"traceparent":"(00-[0-9a-f]{32}-[0-9a-f]{16}-0[01])"'),
      add column tracestate text default pg_catalog.substring(
        pg_catalog.current_setting('request.headers', true), '"tracestate":"([^"\\]+)"');
  end if;
end
$install$;
