-- The first page of visitors.

select ninefold.define_page('/welcome', 'Book a time', '[
  {"kind": "text",
    "text": "Look at what is free, choose a time, and book it. You need an account only to book.\n\n- Nothing is booked twice.\n- Staff confirms each booking.\n- You can withdraw a request at any time.",
    "texts": {
      "de": "Sehen Sie nach, was frei ist, wählen Sie eine Zeit, und buchen Sie sie. Ein Konto brauchen Sie nur zum Buchen.\n\n- Nichts wird doppelt gebucht.\n- Das Team bestätigt jede Buchung.\n- Eine Anfrage können Sie jederzeit zurückziehen.",
      "ar": "اطّلع على الأوقات المتاحة، واختر وقتًا، ثم احجزه. لا تحتاج إلى حساب إلا للحجز.\n\n- لا يُحجز وقت واحد مرتين.\n- يؤكد الفريق كل حجز.\n- يمكنك سحب الطلب في أي وقت."}},
  {"kind": "buttons", "routes": ["/times", "/account/sign-up"]},
  {"kind": "list", "title": "What can be booked", "titles": {"de": "Was gebucht werden kann", "ar": "ما يمكن حجزه"},
    "entity": "public.resources", "filter": "active=is.true", "order_by": "name", "columns": ["name", "description", "capacity"]}
]', roles => array['anon'], home => true);
select ninefold.label('de', 'Eine Zeit buchen', screen => '/welcome'), ninefold.label('ar', 'احجز وقتًا', screen => '/welcome');
