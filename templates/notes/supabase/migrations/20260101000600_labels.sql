-- The words of the pages for members in German and Arabic.

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

select ninefold.label('ar', l.label, entity => l.entity, one => l.one, help => l.help)
from (values
  ('public.notebooks'::regclass, 'الدفاتر', 'دفتر', 'ملاحظات تنتمي معًا وتُشارك معًا.'),
  ('public.shares', 'المشاركات', 'مشاركة', 'من يمكنه استخدام أي دفتر.'),
  ('public.invitations', 'الدعوات', 'دعوة', 'من لديه الرمز يمكنه الانضمام حتى تنتهي الدعوة.'),
  ('public.notes', 'الملاحظات', 'ملاحظة', 'المسودة تراها أنت وحدك. الملاحظة المنشورة يقرؤها كل من يشارك الدفتر.'),
  ('public.tags', 'الوسوم', 'وسم', 'كلماتك الخاصة للملاحظات.'),
  ('public.note_tags', 'الوسوم', 'وسم', 'أي الملاحظات لها أي الوسوم.'),
  ('public.library', 'الدفاتر', 'دفتر', 'دفاترك والدفاتر التي تُشارك معك.')
) as l(entity, label, one, help);

select ninefold.label('ar', l.label, entity => l.entity, field => l.field, help => l.help)
from (values
  ('public.notebooks'::regclass, 'title', 'العنوان', 'كما يراه الجميع.'),
  ('public.notebooks', 'owner', 'من', 'من أنشأه.'),
  ('public.notebooks', 'created_at', 'أُنشئ', 'متى أُنشئ.'),
  ('public.shares', 'notebook', 'الدفتر', 'ما يُشارك.'),
  ('public.shares', 'owner', 'من', 'لمن الدفتر.'),
  ('public.shares', 'member', 'مع', 'مع من يُشارك.'),
  ('public.shares', 'rights', 'الصلاحية', 'القراءة أو الكتابة.'),
  ('public.shares', 'since', 'منذ', 'منذ متى.'),
  ('public.invitations', 'code', 'الرمز', 'ما تعطيه لغيرك.'),
  ('public.invitations', 'notebook', 'الدفتر', 'إلى أي دفتر الدعوة.'),
  ('public.invitations', 'rights', 'الصلاحية', 'ما يُسمح به للمدعوين.'),
  ('public.invitations', 'expires_at', 'صالحة حتى', 'سبعة أيام إن لم يُذكر غيرها.'),
  ('public.notes', 'owner', 'من', 'من كتبها.'),
  ('public.notes', 'notebook', 'الدفتر', 'إلى أين تنتمي.'),
  ('public.notes', 'title', 'العنوان', 'في سطر واحد.'),
  ('public.notes', 'body', 'النص', 'بصيغة Markdown.'),
  ('public.notes', 'pictures', 'الصور', 'صور الملاحظة.'),
  ('public.notes', 'status', 'الحالة', 'أين وصلت الملاحظة.'),
  ('public.notes', 'created_at', 'بدأت', 'متى بدأت.'),
  ('public.notes', 'updated_at', 'عُدّلت', 'متى تغيّر العنوان أو النص آخر مرة.'),
  ('public.notes', 'published_at', 'نُشرت', 'متى نُشرت آخر مرة.'),
  ('public.notes', 'archived_at', 'أُرشفت', 'متى أُرشفت.'),
  ('public.tags', 'name', 'الاسم', 'كلمة واحدة.'),
  ('public.tags', 'owner', 'من', null),
  ('public.tags', 'color', 'اللون', 'مثل ‎#1f6feb‎.'),
  ('public.note_tags', 'note', 'الملاحظة', null),
  ('public.note_tags', 'tag', 'الوسم', null),
  ('public.library', 'title', 'العنوان', null),
  ('public.library', 'own', 'دفتري', null),
  ('public.library', 'rights', 'الصلاحية', null),
  ('public.library', 'published', 'المنشورة', null),
  ('public.library', 'drafts', 'المسودات', null),
  ('public.library', 'updated_at', 'عُدّل', null)
) as l(entity, field, label, help);

select ninefold.label('ar', l.label, entity => l.entity, field => l.field, value => l.value)
from (values
  ('public.notes'::regclass, 'status', 'draft', 'مسودة'), ('public.notes', 'status', 'published', 'منشورة'),
  ('public.notes', 'status', 'archived', 'مؤرشفة'),
  ('public.shares', 'rights', 'read', 'القراءة'), ('public.shares', 'rights', 'write', 'الكتابة'),
  ('public.invitations', 'rights', 'read', 'القراءة'), ('public.invitations', 'rights', 'write', 'الكتابة'),
  ('public.library', 'rights', 'read', 'القراءة'), ('public.library', 'rights', 'write', 'الكتابة')
) as l(entity, field, value, label);

select ninefold.label('ar', l.label, entity => 'public.notes', field => 'status', transition => l.transition)
from (values ('publish', 'نشر'), ('withdraw', 'سحب'), ('archive', 'أرشفة'), ('restore', 'استعادة')) as l(transition, label);

select ninefold.label('ar', l.label, screen => l.screen)
from (values
  ('/drafts', 'المسودات'), ('/published', 'المنشورة'), ('/archive', 'الأرشيف'), ('/notes/new', 'كتابة'),
  ('/library', 'الدفاتر'), ('/notebooks/new', 'إنشاء دفتر'), ('/shares', 'من يُسمح له بماذا'),
  ('/invitations/new', 'دعوة'), ('/tags/new', 'إضافة وسم')
) as l(screen, label);

select ninefold.label('ar', 'الانضمام إلى دفتر', action => 'public.join_notebook',
  help => 'يشارك دفترًا معك برمز دعوة.');
