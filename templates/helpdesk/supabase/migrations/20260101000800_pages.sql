-- How the desk is doing, and the menus of the team.

select ninefold.define_page('/desk', 'How is the desk doing?', '[
  {"kind": "number", "title": "Not solved", "titles": {"de": "Nicht gelöst", "ar": "لم تُحل بعد"},
    "entity": "public.queue"},
  {"kind": "number", "title": "With me", "titles": {"de": "Bei mir", "ar": "لديّ"},
    "entity": "public.tickets", "filter": "status=in.(open,waiting)&assignee=eq.auth.uid()"},
  {"kind": "number", "title": "Asked", "titles": {"de": "Gefragt", "ar": "طلبات جديدة"},
    "entity": "public.tickets", "over": "created_at"},
  {"kind": "number", "title": "Solved", "titles": {"de": "Gelöst", "ar": "طلبات محلولة"},
    "entity": "public.tickets", "over": "solved_at"},
  {"kind": "line", "title": "Asked by day", "titles": {"de": "Anfragen pro Tag", "ar": "الطلبات يوميًا"},
    "entity": "public.tickets", "over": "created_at"},
  {"kind": "bars", "title": "About what", "titles": {"de": "Worum es geht", "ar": "حول ماذا"},
    "entity": "public.tickets", "by": "topic"},
  {"kind": "bars", "title": "Who has how many", "titles": {"de": "Wer wie viele hat", "ar": "من لديه كم"},
    "entity": "public.queue", "by": "assignee"},
  {"kind": "list", "title": "Urgent", "titles": {"de": "Dringend", "ar": "عاجل"}, "entity": "public.queue",
    "filter": "priority=eq.urgent", "order_by": "created_at",
    "columns": ["subject", "status", "assignee", "created_at"]}
]', roles => array['agent', 'lead'], place => 5);

-- A lead is an agent, too, and gets each entry once.
select ninefold.define_menu(m.role, m.groups)
from (values
  ('agent', '[
    {"title": "Tickets", "titles": {"de": "Anfragen", "ar": "الطلبات"},
      "routes": ["/queue", "/tickets/board", "/unassigned", "/tickets", "/my-tickets", "/desk"]},
    {"title": "People", "titles": {"de": "Menschen", "ar": "الأشخاص"}, "routes": ["/customers", "/agents", "/customers/new"]}
  ]'::jsonb),
  ('lead', '[
    {"title": "Tickets", "titles": {"de": "Anfragen", "ar": "الطلبات"},
      "routes": ["/queue", "/tickets/board", "/unassigned", "/tickets", "/my-tickets", "/desk"]},
    {"title": "People", "titles": {"de": "Menschen", "ar": "الأشخاص"}, "routes": ["/customers", "/agents", "/customers/new"]},
    {"title": "Team", "titles": {"de": "Team", "ar": "الفريق"}, "routes": ["/workload", "/topics"]}
  ]')
) as m(role, groups);

select ninefold.label(l.language, l.label, action => 'public.take_next_ticket')
from (values ('en', 'Take next ticket'), ('de', 'Nächste Anfrage übernehmen'), ('ar', 'استلام الطلب التالي')) as l(language, label);
select ninefold.label('de', 'Wie läuft es?', screen => '/desk'), ninefold.label('ar', 'كيف تسير الأمور؟', screen => '/desk');
-- The help of a screen is its text if there are no rows.
select ninefold.label('de', 'Warteschlange', screen => '/queue', help => 'Niemand wartet auf eine Antwort.'),
  ninefold.label('ar', 'قائمة الانتظار', screen => '/queue', help => 'لا أحد ينتظر ردًا.');
