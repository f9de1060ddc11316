-- The words of the pages for members in German and Arabic.

select ninefold.label(l.language, l.label, entity => l.entity, one => l.one, help => l.help)
from (values
  ('de', 'public.tickets'::regclass, 'Anfragen', 'Anfrage', 'Was Kundinnen und Kunden fragen, vom ersten Wort bis zur Lösung.'),
  ('de', 'public.comments', 'Kommentare', 'Kommentar', 'Was zu einer Anfrage gesagt wurde.'),
  ('de', 'public.topics', 'Themen', 'Thema', 'Worum es in Anfragen gehen kann.'),
  ('de', 'public.customers', 'Kundschaft', 'Profil', 'Alle, die sich registriert haben.'),
  ('de', 'public.agents', 'Team', 'Teammitglied', 'Wer Anfragen beantwortet.'),
  ('de', 'public.queue', 'Warteschlange', 'Anfrage', 'Anfragen, die noch nicht gelöst sind.'),
  ('de', 'public.workload', 'Auslastung', 'Teammitglied', 'Wie viele Anfragen jedes Teammitglied hat.'),
  ('ar', 'public.tickets', 'الطلبات', 'طلب', 'ما يسأل عنه العملاء، من أول كلمة حتى الحل.'),
  ('ar', 'public.comments', 'التعليقات', 'تعليق', 'ما قيل عن الطلب.'),
  ('ar', 'public.topics', 'المواضيع', 'موضوع', 'ما يمكن أن تدور حوله الطلبات.'),
  ('ar', 'public.customers', 'العملاء', 'ملف شخصي', 'كل من سجّل حسابًا.'),
  ('ar', 'public.agents', 'الفريق', 'عضو في الفريق', 'من يجيب عن الطلبات.'),
  ('ar', 'public.queue', 'قائمة الانتظار', 'طلب', 'الطلبات التي لم تُحل بعد.'),
  ('ar', 'public.workload', 'توزيع العمل', 'عضو في الفريق', 'عدد الطلبات لكل عضو في الفريق.')
) as l(language, entity, label, one, help);

select ninefold.label(l.language, l.label, entity => l.entity, field => l.field, help => l.help)
from (values
  ('de', 'public.tickets'::regclass, 'customer', 'Kunde', 'Wer fragt.'),
  ('de', 'public.tickets', 'topic', 'Thema', 'Worum es geht.'),
  ('de', 'public.tickets', 'subject', 'Betreff', 'In einer Zeile.'),
  ('de', 'public.tickets', 'description', 'Beschreibung', 'Was passiert ist.'),
  ('de', 'public.tickets', 'priority', 'Dringlichkeit', 'Wie dringend es ist. Das legt das Team fest.'),
  ('de', 'public.tickets', 'status', 'Status', 'Wie weit die Anfrage ist.'),
  ('de', 'public.tickets', 'assignee', 'Zuständig', 'Wer sich darum kümmert.'),
  ('de', 'public.tickets', 'solution', 'Lösung', 'Was geholfen hat.'),
  ('de', 'public.tickets', 'created_at', 'Gestellt', 'Wann die Anfrage gestellt wurde.'),
  ('de', 'public.tickets', 'solved_at', 'Gelöst', 'Wann sie zuletzt gelöst wurde.'),
  ('de', 'public.tickets', 'closed_at', 'Geschlossen', 'Wann sie geschlossen wurde.'),
  ('de', 'public.tickets', 'attachments', 'Dateien', 'Bilder, Aufnahmen und anderes, was das Anliegen zeigt.'),
  ('de', 'public.comments', 'ticket', 'Anfrage', 'Worum es geht.'),
  ('de', 'public.comments', 'author', 'Von', 'Wer es gesagt hat.'),
  ('de', 'public.comments', 'author_name', 'Name', 'Der Name zu dieser Zeit.'),
  ('de', 'public.comments', 'body', 'Nachricht', 'Was gesagt wurde.'),
  ('de', 'public.comments', 'attachments', 'Dateien', 'Dateien zur Nachricht.'),
  ('de', 'public.comments', 'internal', 'Nur für das Team', 'Eine Notiz, die Kundinnen und Kunden nicht sehen.'),
  ('de', 'public.comments', 'created_at', 'Geschrieben', 'Wann es gesagt wurde.'),
  ('de', 'public.topics', 'name', 'Name', 'Wie das Thema zur Auswahl steht.'),
  ('de', 'public.customers', 'name', 'Name', 'Wie das Team Sie sieht.'),
  ('de', 'public.customers', 'email', 'E-Mail', 'Die Adresse des Kontos.'),
  ('de', 'public.customers', 'company', 'Firma', 'Wo Sie arbeiten.'),
  ('de', 'public.customers', 'created_at', 'Dabei seit', 'Wann das Konto angelegt wurde.'),
  ('de', 'public.agents', 'id', 'Konto', 'Das Konto des Teammitglieds.'),
  ('de', 'public.agents', 'name', 'Name', 'Wie Kundinnen und Kunden ihn sehen.'),
  ('de', 'public.agents', 'lead', 'Leitung', 'Leitet das Team.'),
  ('de', 'public.agents', 'since', 'Im Team seit', 'Seit wann im Team.'),
  ('de', 'public.queue', 'subject', 'Betreff', null),
  ('de', 'public.queue', 'priority', 'Dringlichkeit', null),
  ('de', 'public.queue', 'status', 'Status', null),
  ('de', 'public.queue', 'topic', 'Thema', null),
  ('de', 'public.queue', 'customer', 'Kunde', null),
  ('de', 'public.queue', 'assignee', 'Zuständig', null),
  ('de', 'public.queue', 'created_at', 'Gestellt', null),
  ('de', 'public.queue', 'comments', 'Kommentare', null),
  ('de', 'public.queue', 'last_comment_at', 'Letzter Kommentar', null),
  ('de', 'public.workload', 'name', 'Name', null),
  ('de', 'public.workload', 'open', 'Offen', null),
  ('de', 'public.workload', 'waiting', 'Wartend', null),
  ('de', 'public.workload', 'solved_in_7_days', 'Gelöst in 7 Tagen', null),
  ('ar', 'public.tickets', 'customer', 'العميل', 'صاحب الطلب.'),
  ('ar', 'public.tickets', 'topic', 'الموضوع', 'ما يدور حوله الطلب.'),
  ('ar', 'public.tickets', 'subject', 'العنوان', 'في سطر واحد.'),
  ('ar', 'public.tickets', 'description', 'الوصف', 'ما الذي حدث.'),
  ('ar', 'public.tickets', 'priority', 'الأولوية', 'مدى إلحاح الطلب. يحددها الفريق.'),
  ('ar', 'public.tickets', 'status', 'الحالة', 'أين وصل الطلب.'),
  ('ar', 'public.tickets', 'assignee', 'المسؤول', 'من يهتم بالطلب.'),
  ('ar', 'public.tickets', 'solution', 'الحل', 'ما الذي ساعد.'),
  ('ar', 'public.tickets', 'created_at', 'تاريخ الطلب', 'متى أُرسل الطلب.'),
  ('ar', 'public.tickets', 'solved_at', 'تاريخ الحل', 'متى حُل آخر مرة.'),
  ('ar', 'public.tickets', 'closed_at', 'تاريخ الإغلاق', 'متى أُغلق.'),
  ('ar', 'public.tickets', 'attachments', 'الملفات', 'صور وتسجيلات وملفات أخرى توضح الطلب.'),
  ('ar', 'public.comments', 'ticket', 'الطلب', null),
  ('ar', 'public.comments', 'author_name', 'الاسم', null),
  ('ar', 'public.comments', 'body', 'الرسالة', 'ما قيل.'),
  ('ar', 'public.comments', 'attachments', 'الملفات', 'ملفات تخص الرسالة.'),
  ('ar', 'public.comments', 'internal', 'للفريق فقط', 'ملاحظة لا يراها العميل.'),
  ('ar', 'public.comments', 'created_at', 'تاريخ الكتابة', null),
  ('ar', 'public.topics', 'name', 'الاسم', null),
  ('ar', 'public.customers', 'name', 'الاسم', 'كما يراه الفريق.'),
  ('ar', 'public.customers', 'email', 'البريد الإلكتروني', 'عنوان الحساب.'),
  ('ar', 'public.customers', 'company', 'الشركة', 'مكان العمل.'),
  ('ar', 'public.customers', 'created_at', 'عضو منذ', null),
  ('ar', 'public.agents', 'id', 'الحساب', null),
  ('ar', 'public.agents', 'name', 'الاسم', 'كما يراه العملاء.'),
  ('ar', 'public.agents', 'lead', 'قائد الفريق', null),
  ('ar', 'public.agents', 'since', 'في الفريق منذ', null),
  ('ar', 'public.queue', 'subject', 'العنوان', null),
  ('ar', 'public.queue', 'priority', 'الأولوية', null),
  ('ar', 'public.queue', 'status', 'الحالة', null),
  ('ar', 'public.queue', 'topic', 'الموضوع', null),
  ('ar', 'public.queue', 'customer', 'العميل', null),
  ('ar', 'public.queue', 'assignee', 'المسؤول', null),
  ('ar', 'public.queue', 'created_at', 'تاريخ الطلب', null),
  ('ar', 'public.queue', 'last_comment_at', 'آخر تعليق', null),
  ('ar', 'public.workload', 'name', 'الاسم', null),
  ('ar', 'public.workload', 'open', 'مفتوح', null),
  ('ar', 'public.workload', 'waiting', 'بانتظار الرد', null),
  ('ar', 'public.workload', 'solved_in_7_days', 'حُل خلال 7 أيام', null)
) as l(language, entity, field, label, help);

select ninefold.label(l.language, l.label, entity => e.entity, field => l.field, value => l.value)
from (values
  ('de', 'status', 'new', 'Neu'), ('de', 'status', 'open', 'Offen'), ('de', 'status', 'waiting', 'Wartend'),
  ('de', 'status', 'solved', 'Gelöst'), ('de', 'status', 'closed', 'Geschlossen'),
  ('de', 'priority', 'low', 'Niedrig'), ('de', 'priority', 'normal', 'Normal'), ('de', 'priority', 'high', 'Hoch'),
  ('de', 'priority', 'urgent', 'Dringend'),
  ('ar', 'status', 'new', 'جديد'), ('ar', 'status', 'open', 'مفتوح'), ('ar', 'status', 'waiting', 'بانتظار الرد'),
  ('ar', 'status', 'solved', 'محلول'), ('ar', 'status', 'closed', 'مغلق'),
  ('ar', 'priority', 'low', 'منخفضة'), ('ar', 'priority', 'normal', 'عادية'), ('ar', 'priority', 'high', 'عالية'),
  ('ar', 'priority', 'urgent', 'عاجلة')
) as l(language, field, value, label)
cross join (values ('public.tickets'::regclass), ('public.queue')) as e(entity);

select ninefold.label(l.language, l.label, entity => 'public.tickets', field => 'status', transition => l.transition)
from (values
  ('de', 'take', 'Übernehmen'), ('de', 'ask', 'Nachfragen'), ('de', 'answer', 'Beantworten'), ('de', 'solve', 'Lösen'),
  ('de', 'withdraw', 'Zurückziehen'), ('de', 'close', 'Schließen'), ('de', 'reopen', 'Wieder öffnen'),
  ('ar', 'take', 'استلام'), ('ar', 'ask', 'طلب توضيح'), ('ar', 'answer', 'إجابة'), ('ar', 'solve', 'حل'),
  ('ar', 'withdraw', 'سحب'), ('ar', 'close', 'إغلاق'), ('ar', 'reopen', 'إعادة فتح')
) as l(language, transition, label);

select ninefold.label(l.language, l.label, screen => l.screen)
from (values
  ('de', '/queue', 'Warteschlange'), ('de', '/tickets/board', 'Tafel'), ('de', '/unassigned', 'Neu und nicht zugeteilt'),
  ('de', '/workload', 'Wer hat was'), ('de', '/tickets', 'Anfragen'), ('de', '/my-tickets', 'Meine Anfragen'), ('de', '/comments/new', 'Etwas sagen'),
  ('de', '/comments/internal', 'Etwas sagen oder notieren'),
  ('de', '/tickets/new', 'Hilfe anfragen'), ('de', '/agents/new', 'Teammitglied hinzufügen'), ('de', '/topics/new', 'Thema hinzufügen'),
  ('de', '/customers/new', 'Mein Profil'),
  ('ar', '/queue', 'قائمة الانتظار'), ('ar', '/tickets/board', 'اللوحة'), ('ar', '/unassigned', 'جديد وغير موزّع'),
  ('ar', '/workload', 'من لديه ماذا'), ('ar', '/tickets', 'الطلبات'), ('ar', '/my-tickets', 'طلباتي'), ('ar', '/comments/new', 'كتابة تعليق'),
  ('ar', '/comments/internal', 'كتابة تعليق أو ملاحظة'),
  ('ar', '/tickets/new', 'طلب مساعدة'), ('ar', '/agents/new', 'إضافة عضو إلى الفريق'), ('ar', '/topics/new', 'إضافة موضوع'),
  ('ar', '/customers/new', 'ملفي الشخصي')
) as l(language, screen, label);

select ninefold.label('de', 'Team', role => 'agent'), ninefold.label('de', 'Leitung', role => 'lead'),
  ninefold.label('ar', 'الفريق', role => 'agent'), ninefold.label('ar', 'القيادة', role => 'lead');
