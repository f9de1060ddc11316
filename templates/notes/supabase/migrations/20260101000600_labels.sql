-- The words of the pages for members in German.

select ninefold.label('de', l.label, entity => l.entity, one => l.one, help => l.help)
from (values
  ('public.notebooks'::regclass, 'Notizbücher', 'Notizbuch', 'Notizen, die zusammengehören und zusammen geteilt werden.'),
  ('public.shares', 'Freigaben', 'Freigabe', 'Wer welches Notizbuch benutzen darf.'),
  ('public.invitations', 'Einladungen', 'Einladung', 'Wer den Code hat, kann beitreten, bis die Einladung abläuft.'),
  ('public.notes', 'Notizen', 'Notiz', 'Einen Entwurf sehen nur Sie. Eine veröffentlichte Notiz lesen alle, die das Notizbuch teilen.'),
  ('public.tags', 'Schlagwörter', 'Schlagwort', 'Ihre eigenen Wörter für Notizen.'),
  ('public.note_tags', 'Schlagwörter', 'Schlagwort', 'Welche Notizen welche Schlagwörter haben.'),
  ('public.library', 'Notizbücher', 'Notizbuch', 'Ihre Notizbücher und die, die mit Ihnen geteilt sind.')
) as l(entity, label, one, help);

select ninefold.label('de', l.label, entity => l.entity, field => l.field, help => l.help)
from (values
  ('public.notebooks'::regclass, 'title', 'Titel', 'Wie ihn alle sehen.'),
  ('public.notebooks', 'owner', 'Von', 'Wer es angelegt hat.'),
  ('public.notebooks', 'created_at', 'Angelegt', 'Wann es angelegt wurde.'),
  ('public.shares', 'notebook', 'Notizbuch', 'Was geteilt ist.'),
  ('public.shares', 'owner', 'Von', 'Wem das Notizbuch gehört.'),
  ('public.shares', 'member', 'Mit', 'Mit wem es geteilt ist.'),
  ('public.shares', 'rights', 'Darf', 'Lesen oder schreiben.'),
  ('public.shares', 'since', 'Seit', 'Seit wann.'),
  ('public.invitations', 'code', 'Code', 'Was Sie weitergeben.'),
  ('public.invitations', 'notebook', 'Notizbuch', 'Wozu eingeladen wird.'),
  ('public.invitations', 'rights', 'Darf', 'Was Eingeladene dürfen.'),
  ('public.invitations', 'expires_at', 'Gültig bis', 'Sieben Tage, wenn nichts angegeben ist.'),
  ('public.notes', 'owner', 'Von', 'Wer sie geschrieben hat.'),
  ('public.notes', 'notebook', 'Notizbuch', 'Wohin sie gehört.'),
  ('public.notes', 'title', 'Titel', 'In einer Zeile.'),
  ('public.notes', 'body', 'Text', 'Markdown.'),
  ('public.notes', 'pictures', 'Bilder', 'Bilder zur Notiz.'),
  ('public.notes', 'status', 'Status', 'Wie weit die Notiz ist.'),
  ('public.notes', 'created_at', 'Begonnen', 'Wann sie begonnen wurde.'),
  ('public.notes', 'updated_at', 'Geändert', 'Wann Titel oder Text zuletzt geändert wurden.'),
  ('public.notes', 'published_at', 'Veröffentlicht', 'Wann sie zuletzt veröffentlicht wurde.'),
  ('public.notes', 'archived_at', 'Archiviert', 'Wann sie archiviert wurde.'),
  ('public.tags', 'name', 'Name', 'Ein Wort.'),
  ('public.tags', 'owner', 'Von', null),
  ('public.tags', 'color', 'Farbe', 'Etwa #1f6feb.'),
  ('public.note_tags', 'note', 'Notiz', null),
  ('public.note_tags', 'tag', 'Schlagwort', null),
  ('public.library', 'title', 'Titel', null),
  ('public.library', 'own', 'Eigenes', null),
  ('public.library', 'rights', 'Darf', null),
  ('public.library', 'published', 'Veröffentlicht', null),
  ('public.library', 'drafts', 'Entwürfe', null),
  ('public.library', 'updated_at', 'Geändert', null)
) as l(entity, field, label, help);

select ninefold.label('de', l.label, entity => l.entity, field => l.field, value => l.value)
from (values
  ('public.notes'::regclass, 'status', 'draft', 'Entwurf'), ('public.notes', 'status', 'published', 'Veröffentlicht'),
  ('public.notes', 'status', 'archived', 'Archiviert'),
  ('public.shares', 'rights', 'read', 'Lesen'), ('public.shares', 'rights', 'write', 'Schreiben'),
  ('public.invitations', 'rights', 'read', 'Lesen'), ('public.invitations', 'rights', 'write', 'Schreiben'),
  ('public.library', 'rights', 'read', 'Lesen'), ('public.library', 'rights', 'write', 'Schreiben')
) as l(entity, field, value, label);

select ninefold.label('de', l.label, entity => 'public.notes', field => 'status', transition => l.transition)
from (values
  ('publish', 'Veröffentlichen'), ('withdraw', 'Zurückziehen'), ('archive', 'Archivieren'), ('restore', 'Wiederherstellen')
) as l(transition, label);

select ninefold.label('de', l.label, screen => l.screen)
from (values
  ('/drafts', 'Entwürfe'), ('/published', 'Veröffentlicht'), ('/archive', 'Archiv'), ('/notes/new', 'Schreiben'),
  ('/library', 'Notizbücher'), ('/notebooks/new', 'Notizbuch anlegen'), ('/shares', 'Wer was darf'),
  ('/invitations/new', 'Einladen'), ('/tags/new', 'Schlagwort anlegen')
) as l(screen, label);

select ninefold.label('de', 'Notizbuch beitreten', action => 'public.join_notebook',
  help => 'Teilt ein Notizbuch mit Ihnen, durch den Code einer Einladung.');
