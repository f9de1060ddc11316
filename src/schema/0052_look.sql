-- The look of the pages for members.

alter table ninefold.app
  add column accent text constraint app_accent check (accent ~ '^#[0-9a-f]{6}$'),
  -- In the row, so that the pages load it from the app's own origin.
  add column logo text constraint app_logo
    check (length(logo) <= 100000 and logo ~ '^data:image/(png|jpeg|webp|svg[+]xml);base64,[A-Za-z0-9+/]+=*$');

create function ninefold.set_look(accent text default null, logo text default null) returns void
  language sql
  set search_path = ''
begin atomic
  insert into ninefold.app (accent, logo)
  values (
    nullif(pg_catalog.lower(pg_catalog.btrim(set_look.accent)), ''), nullif(pg_catalog.btrim(set_look.logo), '')
  )
  on conflict (only_row) do update set accent = excluded.accent, logo = excluded.logo;
end;
comment on function ninefold.set_look is
  'Sets the accent colour of the pages for members, as in #1f6feb, and their logo, a data: address of a PNG, JPEG, WebP or SVG picture. '
  'The pages use the hue of the colour, in a lightness that keeps texts readable. An argument that you leave out is reset.';
revoke execute on function ninefold.set_look from public;
grant execute on function ninefold.set_look to pg_database_owner;
