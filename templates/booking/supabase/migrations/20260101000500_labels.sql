-- The words of the pages for members in German.

select ninefold.label('de', l.label, entity => l.entity, one => l.one, help => l.help)
from (values
  ('public.resources'::regclass, 'Angebote', 'Angebot', 'Was gebucht werden kann: Räume, Menschen, Plätze, Autos.'),
  ('public.slots', 'Öffnungszeiten', 'Öffnungszeit', 'Wann ein Angebot offen ist.'),
  ('public.bookings', 'Buchungen', 'Buchung', 'Wer was von wann bis wann hat.'),
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
  ('/resources', 'Was gebucht werden kann'), ('/bookings/new', 'Buchen'), ('/my-bookings', 'Meine Buchungen'), ('/agenda', 'Agenda'),
  ('/requests', 'Zu bestätigen'), ('/bookings/board', 'Tafel'), ('/resources/new', 'Angebot hinzufügen'),
  ('/slots/new', 'Öffnungszeit hinzufügen'), ('/bookings/calendar', 'Kalender'), ('/opening-times', 'Öffnungszeiten')
) as l(screen, label);

select ninefold.label('de', 'Team', role => 'staff');
select ninefold.label('de', 'Tage öffnen', action => 'public.open_days',
  help => 'Öffnet ein Angebot an diesen Wochentagen (1 ist Montag), von Tag zu Tag.');
