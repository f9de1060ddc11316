import { chapters } from '../../../contract/chapters.ts';
import type { Specification } from '../../../contract/specification.ts';
import { specificationMarkdown } from '../chapters/markdown.ts';
import { type Block, parseMarkdown, plainText, readInline } from '../markdown/parse.ts';
import { style } from './style.ts';

/**
 * Returns the specification as one self-contained HTML page, in light and dark colours and for print. The page is
 * generated from the Markdown, so that each chapter is written only once.
 */
export function specificationHtml(specification: Specification): string {
  const { app, hash } = specification;
  const parts = splitChapters(parseMarkdown(specificationMarkdown(specification)));
  const contents = parts
    .map(
      ({ number, name, question }) =>
        `<li><a href="#${id(name)}"><b>${number}</b> ${escapeHtml(name)}</a> <i>${escapeHtml(question)}</i></li>`,
    )
    .join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(app.name)}: what it does</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${escapeHtml(app.name)}</h1>
<p>What the app ${escapeHtml(app.ref)} does, derived from the running system. Version <code title="${hash}">${hash.slice(0, 12)}</code>.</p>
</header>
<nav aria-label="Chapters"><ol>
${contents}
</ol></nav>
<main>
${parts.map(chapterHtml).join('\n')}
</main>
</body>
</html>
`;
}

interface Part {
  number: number;
  name: string;
  question: string;
  blocks: Block[];
}

/** Splits the blocks into chapters, without their headings and questions. */
function splitChapters(blocks: readonly Block[]): Part[] {
  const parts: Part[] = [];
  for (const block of blocks) {
    const chapter =
      block.kind === 'heading' && block.level === 2
        ? chapters.find(({ number, name }) => block.text === `${number} ${name}`)
        : undefined;
    if (chapter) parts.push({ number: chapter.number, name: chapter.name, question: chapter.question, blocks: [] });
    else parts.at(-1)?.blocks.push(block);
  }
  return parts.map((part) => {
    const [first, ...rest] = part.blocks;
    const isQuestion = first?.kind === 'paragraph' && first.text === `*${part.question}*`;
    return isQuestion ? { ...part, blocks: rest } : part;
  });
}

function chapterHtml({ number, name, question, blocks }: Part): string {
  return `<section id="${id(name)}" aria-labelledby="${id(name)}-title">
<h2 id="${id(name)}-title"><span class="numeral">${number}</span> <span class="name">${escapeHtml(name)}</span> ${escapeHtml(question)}</h2>
${blocks.map((block) => blockHtml(block, name)).join('\n')}
</section>`;
}

const id = (name: string): string => name.toLowerCase();

function blockHtml(block: Block, chapter: string): string {
  switch (block.kind) {
    case 'heading':
      return `<h${block.level}>${inlineHtml(block.text)}</h${block.level}>`;
    case 'paragraph':
      return `<p>${inlineHtml(block.text)}</p>`;
    case 'list':
      return `<ul>\n${block.items.map((item) => `<li>${inlineHtml(item)}</li>`).join('\n')}\n</ul>`;
    case 'code':
      return `<pre><code>${escapeHtml(block.text)}</code></pre>`;
    case 'details':
      return `<details><summary>${inlineHtml(block.summary)}</summary>\n${block.blocks.map((inner) => blockHtml(inner, chapter)).join('\n')}\n</details>`;
    case 'table':
      return tableHtml(block, chapter);
  }
}

function tableHtml({ head, rows }: Extract<Block, { kind: 'table' }>, chapter: string): string {
  const heads = head.map((cell) => `<th scope="col">${inlineHtml(cell)}</th>`).join('');
  const body = rows
    .map(([first = '', ...rest]) => {
      const cells = rest.map((cell) => (chapter === 'Roles' ? verdictCell(cell) : `<td>${inlineHtml(cell)}</td>`));
      return `<tr><th scope="row">${inlineHtml(first)}</th>${cells.join('')}</tr>`;
    })
    .join('\n');
  return `<div class="table" role="region" tabindex="0" aria-label="${escapeHtml(plainText(head.join(' ')).trim() || chapter)}"><table>
<thead><tr>${heads}</tr></thead>
<tbody>
${body}
</tbody></table></div>`;
}

/** Returns a cell of the matrix with its symbol before its words. */
function verdictCell(cell: string): string {
  if (cell === '–') return '<td class="never">– never</td>';
  if (cell === 'always') return '<td class="always">● always</td>';
  return `<td class="when">◐ ${inlineHtml(cell)}</td>`;
}

const tags = { code: 'code', strong: 'strong', emphasis: 'em' } as const;

const inlineHtml = (markdown: string): string =>
  readInline(markdown)
    .map(({ kind, text }) =>
      kind === 'text' ? escapeHtml(text) : `<${tags[kind]}>${escapeHtml(text)}</${tags[kind]}>`,
    )
    .join('');

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
