-- Topics to begin with; leads change them.
insert into public.topics (name) values ('How do I …?'), ('Something is broken'), ('Billing'), ('My account'), ('Other');
