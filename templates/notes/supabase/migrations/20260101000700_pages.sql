-- The first page of visitors.

select ninefold.define_page('/welcome', 'Write for yourself, share what you like', '[
  {"kind": "text",
    "text": "A draft is yours alone. A published note is read by everybody who shares its notebook.\n\n- Write in Markdown, with pictures.\n- Share a notebook by a code, to read or to write.\n- Find every note again by its words and tags.",
    "texts": {
      "de": "Ein Entwurf gehört nur Ihnen. Eine veröffentlichte Notiz lesen alle, die das Notizbuch teilen.\n\n- Schreiben Sie in Markdown, mit Bildern.\n- Teilen Sie ein Notizbuch mit einem Code, zum Lesen oder zum Schreiben.\n- Finden Sie jede Notiz über ihre Wörter und Schlagwörter wieder.",
      "ar": "المسودة لك وحدك. أما الملاحظة المنشورة فيقرؤها كل من يشارك الدفتر.\n\n- اكتب بصيغة Markdown، مع صور.\n- شارك دفترًا برمز، للقراءة أو للكتابة.\n- اعثر على كل ملاحظة من كلماتها ووسومها."}},
  {"kind": "buttons", "routes": ["/account/sign-up", "/account/sign-in"]}
]', roles => array['anon'], home => true);
select ninefold.label('de', 'Für sich schreiben, teilen, was man mag', screen => '/welcome'),
  ninefold.label('ar', 'اكتب لنفسك، وشارك ما تحب', screen => '/welcome');
