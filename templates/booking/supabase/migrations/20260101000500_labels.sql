-- The words of the pages for members in German and Arabic.

select ninefold.label('de', l.label, entity => l.entity, one => l.one, help => l.help)
from (values
  ('public.resources'::regclass, 'Angebote', 'Angebot', 'Was gebucht werden kann: Räume, Menschen, Plätze, Autos.'),
  ('public.slots', 'Öffnungszeiten', 'Öffnungszeit', 'Wann ein Angebot offen ist.'),
  ('public.bookings', 'Buchungen', 'Buchung', 'Wer was von wann bis wann hat.'),
  ('public.times', 'Belegte Zeiten', 'Zeit', 'Wann etwas belegt ist.'),
  ('public.agenda', 'Agenda', 'Buchung', 'Was angefragt oder bestätigt und noch nicht vorbei ist.')
) as l(entity, label, one, help);

select ninefold.label('de', l.label, entity => l.entity, field => l.field, help => l.help)
from (values
  ('public.resources'::regclass, 'name', 'Name', 'Wie Gäste es sehen.'),
  ('public.resources', 'description', 'Beschreibung', 'Was Gäste erwartet.'),
  ('public.resources', 'capacity', 'Plätze', 'Für wie viele Personen eine Buchung sein darf.'),
  ('public.resources', 'time_zone', 'Zeitzone', 'Der Öffnungszeiten, etwa Europe/Vienna.'),
  ('public.resources', 'shortest', 'Mindestdauer', 'Die kürzeste Buchung.'),
  ('public.resources', 'longest', 'Höchstdauer', 'Die längste Buchung.'),
  ('public.resources', 'notice', 'Absage bis', 'Wie lange vor dem Beginn Gäste noch absagen können.'),
  ('public.resources', 'active', 'Buchbar', 'Wird angezeigt und kann gebucht werden.'),
  ('public.slots', 'resource', 'Angebot', 'Was offen ist.'),
  ('public.slots', 'starts_at', 'Beginn', 'Ab wann es offen ist.'),
  ('public.slots', 'ends_at', 'Ende', 'Bis wann es offen ist.'),
  ('public.bookings', 'resource', 'Angebot', 'Was gebucht wird.'),
  ('public.bookings', 'member', 'Gast', 'Wer gebucht hat.'),
  ('public.bookings', 'contact', 'Kontakt', 'Wo wir Sie erreichen.'),
  ('public.bookings', 'people', 'Personen', 'Wie viele kommen.'),
  ('public.bookings', 'starts_at', 'Beginn', 'Ab wann.'),
  ('public.bookings', 'ends_at', 'Ende', 'Bis wann.'),
  ('public.bookings', 'note', 'Hinweis', 'Was wir wissen sollten.'),
  ('public.bookings', 'status', 'Status', 'Wie weit die Buchung ist.'),
  ('public.bookings', 'reason', 'Grund', 'Warum sie abgesagt wurde.'),
  ('public.bookings', 'cancel_until', 'Absage möglich bis', 'Bis wann Sie eine bestätigte Buchung absagen können.'),
  ('public.bookings', 'created_at', 'Angefragt', 'Wann sie angefragt wurde.'),
  ('public.bookings', 'confirmed_at', 'Bestätigt', 'Wann sie bestätigt wurde.'),
  ('public.bookings', 'cancelled_at', 'Abgesagt', 'Wann sie abgesagt wurde.'),
  ('public.times', 'resource', 'Angebot', null),
  ('public.times', 'starts_at', 'Beginn', null),
  ('public.times', 'ends_at', 'Ende', null),
  ('public.agenda', 'resource', 'Angebot', null),
  ('public.agenda', 'starts_at', 'Beginn', null),
  ('public.agenda', 'ends_at', 'Ende', null),
  ('public.agenda', 'people', 'Personen', null),
  ('public.agenda', 'contact', 'Kontakt', null),
  ('public.agenda', 'status', 'Status', null),
  ('public.agenda', 'note', 'Hinweis', null)
) as l(entity, field, label, help);

select ninefold.label('de', l.label, entity => e.entity, field => 'status', value => l.value)
from (values ('requested', 'Angefragt'), ('confirmed', 'Bestätigt'), ('cancelled', 'Abgesagt'), ('done', 'Vorbei')) as l(value, label)
cross join (values ('public.bookings'::regclass), ('public.agenda')) as e(entity);

select ninefold.label('de', l.label, entity => 'public.bookings', field => 'status', transition => l.transition)
from (values
  ('confirm', 'Bestätigen'), ('withdraw', 'Zurückziehen'), ('cancel', 'Absagen'), ('decline', 'Ablehnen'), ('finish', 'Abschließen')
) as l(transition, label);

select ninefold.label('de', l.label, screen => l.screen)
from (values
  ('/times', 'Wann ist frei?'), ('/resources', 'Was gebucht werden kann'), ('/bookings/new', 'Buchen'), ('/my-bookings', 'Meine Buchungen'), ('/agenda', 'Agenda'),
  ('/requests', 'Zu bestätigen'), ('/bookings/board', 'Tafel'), ('/resources/new', 'Angebot hinzufügen'),
  ('/slots/new', 'Öffnungszeit hinzufügen'), ('/bookings/calendar', 'Kalender'), ('/opening-times', 'Öffnungszeiten')
) as l(screen, label);

select ninefold.label('de', 'Team', role => 'staff');
select ninefold.label('de', 'Tage öffnen', action => 'public.open_days',
  help => 'Öffnet ein Angebot an diesen Wochentagen (1 ist Montag), von Tag zu Tag.');

select ninefold.label('ar', l.label, entity => l.entity, one => l.one, help => l.help)
from (values
  ('public.resources'::regclass, 'ما يمكن حجزه', 'مورد', 'ما يمكن حجزه: الغرف والأشخاص والملاعب والسيارات.'),
  ('public.slots', 'أوقات العمل', 'وقت عمل', 'متى يكون المورد متاحًا.'),
  ('public.bookings', 'الحجوزات', 'حجز', 'من لديه ماذا ومن متى إلى متى.'),
  ('public.times', 'الأوقات المحجوزة', 'وقت', 'متى يكون المورد محجوزًا.'),
  ('public.agenda', 'جدول الأعمال', 'حجز', 'ما طُلب أو تأكد ولم ينته بعد.')
) as l(entity, label, one, help);

select ninefold.label('ar', l.label, entity => l.entity, field => l.field, help => l.help)
from (values
  ('public.resources'::regclass, 'name', 'الاسم', 'كما يراه الزوار.'),
  ('public.resources', 'description', 'الوصف', 'ما يمكن توقعه.'),
  ('public.resources', 'capacity', 'السعة', 'لكم شخصًا يمكن أن يكون الحجز.'),
  ('public.resources', 'time_zone', 'المنطقة الزمنية', 'لأوقات العمل، مثل Europe/Vienna.'),
  ('public.resources', 'shortest', 'أقصر مدة', 'أقصر حجز ممكن.'),
  ('public.resources', 'longest', 'أطول مدة', 'أطول حجز ممكن.'),
  ('public.resources', 'notice', 'مهلة الإلغاء', 'إلى متى قبل البداية يمكن إلغاء حجز مؤكد.'),
  ('public.resources', 'active', 'متاح للحجز', 'يظهر ويمكن حجزه.'),
  ('public.slots', 'resource', 'المورد', 'ما هو متاح.'),
  ('public.slots', 'starts_at', 'البداية', 'متى يبدأ.'),
  ('public.slots', 'ends_at', 'النهاية', 'متى ينتهي.'),
  ('public.bookings', 'resource', 'المورد', 'ما يُحجز.'),
  ('public.bookings', 'member', 'العضو', 'من قام بالحجز.'),
  ('public.bookings', 'contact', 'جهة الاتصال', 'كيف نصل إليك.'),
  ('public.bookings', 'people', 'عدد الأشخاص', 'كم شخصًا سيأتي.'),
  ('public.bookings', 'starts_at', 'البداية', 'من متى.'),
  ('public.bookings', 'ends_at', 'النهاية', 'إلى متى.'),
  ('public.bookings', 'note', 'ملاحظة', 'ما ينبغي أن نعرفه.'),
  ('public.bookings', 'status', 'الحالة', 'أين وصل الحجز.'),
  ('public.bookings', 'reason', 'السبب', 'لماذا أُلغي.'),
  ('public.bookings', 'cancel_until', 'يمكن الإلغاء حتى', 'إلى متى يمكنك إلغاء حجز مؤكد.'),
  ('public.bookings', 'created_at', 'وقت الطلب', 'متى طُلب.'),
  ('public.bookings', 'confirmed_at', 'وقت التأكيد', 'متى تأكد.'),
  ('public.bookings', 'cancelled_at', 'وقت الإلغاء', 'متى أُلغي.'),
  ('public.times', 'resource', 'المورد', null),
  ('public.times', 'starts_at', 'البداية', null),
  ('public.times', 'ends_at', 'النهاية', null),
  ('public.agenda', 'resource', 'المورد', null),
  ('public.agenda', 'starts_at', 'البداية', null),
  ('public.agenda', 'ends_at', 'النهاية', null),
  ('public.agenda', 'people', 'عدد الأشخاص', null),
  ('public.agenda', 'contact', 'جهة الاتصال', null),
  ('public.agenda', 'status', 'الحالة', null),
  ('public.agenda', 'note', 'ملاحظة', null)
) as l(entity, field, label, help);

select ninefold.label('ar', l.label, entity => e.entity, field => 'status', value => l.value)
from (values ('requested', 'قيد الطلب'), ('confirmed', 'مؤكد'), ('cancelled', 'ملغى'), ('done', 'منتهٍ')) as l(value, label)
cross join (values ('public.bookings'::regclass), ('public.agenda')) as e(entity);

select ninefold.label('ar', l.label, entity => 'public.bookings', field => 'status', transition => l.transition)
from (values
  ('confirm', 'تأكيد'), ('withdraw', 'سحب الطلب'), ('cancel', 'إلغاء'), ('decline', 'رفض'), ('finish', 'إنهاء')
) as l(transition, label);

select ninefold.label('ar', l.label, screen => l.screen)
from (values
  ('/times', 'متى يكون متاحًا؟'), ('/resources', 'ما يمكن حجزه'), ('/bookings/new', 'حجز'), ('/my-bookings', 'حجوزاتي'),
  ('/agenda', 'جدول الأعمال'), ('/requests', 'بانتظار التأكيد'), ('/bookings/board', 'لوحة'), ('/resources/new', 'إضافة مورد'),
  ('/slots/new', 'إضافة وقت عمل'), ('/bookings/calendar', 'التقويم'), ('/opening-times', 'أوقات العمل')
) as l(screen, label);

select ninefold.label('ar', 'الفريق', role => 'staff');
select ninefold.label('ar', 'فتح أيام', action => 'public.open_days',
  help => 'يفتح موردًا في أيام الأسبوع هذه (1 هو الاثنين)، من يوم إلى يوم.');
