/** The nine chapters of a specification, in their order. `key` is the name in URLs and in JSON. */
export const chapters = [
  { number: 1, key: 'purpose', name: 'Purpose', question: 'What is it, for whom?' },
  { number: 2, key: 'screens', name: 'Screens', question: 'Which screens and routes?' },
  { number: 3, key: 'entities', name: 'Entities', question: 'Which things, with which fields?' },
  { number: 4, key: 'states', name: 'States', question: 'Which states, and who may move what where?' },
  { number: 5, key: 'rules', name: 'Rules', question: 'What is valid?' },
  { number: 6, key: 'roles', name: 'Roles', question: 'Who may do what?' },
  { number: 7, key: 'calls', name: 'Calls', question: 'Which calls does it answer?' },
  { number: 8, key: 'errors', name: 'Errors', question: 'What can go wrong, and what then?' },
  { number: 9, key: 'limits', name: 'Limits', question: 'Which numbers bound it?' },
] as const;

export type ChapterKey = (typeof chapters)[number]['key'];
