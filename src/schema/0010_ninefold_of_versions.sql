-- What a specification says is in part Ninefold's own: a newer Ninefold may say more, or say it better.
alter table ninefold.versions add column ninefold text;
comment on column ninefold.versions.ninefold is 'The Ninefold that has last found the app to be so, such as 0.1.0+3f2a91c0.';

grant update (ninefold) on ninefold.versions to ninefold_server;
