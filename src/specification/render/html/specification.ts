import { chapters } from '../../../../contract/chapters.ts';
import type { Specification } from '../../../../contract/specification.ts';
import { type Block, type Inline, parseMarkdown, plainText, readInline } from '../markdown/parse.ts';
import { CONTENTS, specificationMarkdown } from '../markdown/specification.ts';
import { style } from './style.ts';

/**
 * Returns the specification as one self-contained HTML page, in light and dark colours and for print. The page is
 * generated from the Markdown, so that each chapter is written only once.
 */
export function specificationHtml(specification: Specification): string {
  const { hash, chapters: derived, app } = specification;
  const blocks = parseMarkdown(specificationMarkdown(specification));
  const { lead, parts } = splitParts(blocks);
  const page = new Page();
  const name = derived.purpose?.name ?? app.name;
  const sections = parts.map((part) => page.section(part));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(name)}: what it does</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${escapeHtml(name)}</h1>
${lead
  .map((block) => page.block(block))
  .join('\n')
  .replace(hash.slice(0, 12), `<code title="${hash}">${hash.slice(0, 12)}</code>`)}
</header>
<nav aria-label="${CONTENTS}">
<ul>
${parts.flatMap((part) => (part.chapter ? [] : [`<li><a href="#${id(part.title)}">${escapeHtml(part.title)}</a></li>`])).join('\n')}
</ul>
<ol>
${parts.flatMap(({ chapter }) => (chapter ? [`<li><a href="#${id(chapter.name)}"><b>${chapter.number}</b> ${escapeHtml(chapter.name)}</a> <i>${escapeHtml(chapter.question)}</i></li>`] : [])).join('\n')}
</ol>
</nav>
<main>
${sections.join('\n')}
</main>
</body>
</html>
`;
}

/** A section of the page: a chapter, or what one role may do. */
interface Part {
  title: string;
  chapter: (typeof chapters)[number] | null;
  blocks: Block[];
}

/** Splits the blocks at headings of level 2. Omits the table of contents and the questions of chapters. */
function splitParts(blocks: readonly Block[]): { lead: Block[]; parts: Part[] } {
  const lead: Block[] = [];
  const parts: Part[] = [];
  for (const block of blocks) {
    if (block.kind === 'heading' && block.level === 2) {
      const title = plainText(block.text);
      parts.push({ title, chapter: chapters.find((one) => title === `${one.number} ${one.name}`) ?? null, blocks: [] });
    } else if (block.kind !== 'heading' || block.level > 2) {
      (parts.at(-1)?.blocks ?? lead).push(block);
    }
  }
  return {
    lead,
    parts: parts
      .filter(({ title }) => title !== CONTENTS)
      .map((part) => {
        const [first, ...rest] = part.blocks;
        const isQuestion = first?.kind === 'paragraph' && first.text === `*${part.chapter?.question}*`;
        return isQuestion ? { ...part, blocks: rest } : part;
      }),
  };
}

const id = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-');

/** Writes the sections of one page. The first number of a condition becomes the target of all later ones. */
class Page {
  readonly #conditions = new Map<string, string>();

  section({ title, chapter, blocks }: Part): string {
    const own = id(chapter?.name ?? title);
    const heading = chapter
      ? `<span class="numeral">${chapter.number}</span> <span class="name">${escapeHtml(chapter.name)}</span> ${escapeHtml(chapter.question)}`
      : escapeHtml(title);
    return `<section id="${own}" aria-labelledby="${own}-title">
<h2 id="${own}-title">${heading}</h2>
${blocks.map((block) => this.block(block, chapter?.name ?? title)).join('\n')}
</section>`;
  }

  block(block: Block, part = ''): string {
    switch (block.kind) {
      case 'heading':
        return `<h${block.level}>${this.#inline(block.text)}</h${block.level}>`;
      case 'paragraph':
        return `<p>${this.#inline(block.text)}</p>`;
      case 'list':
        return `<ul>\n${block.items.map((item) => `<li>${this.#inline(item)}</li>`).join('\n')}\n</ul>`;
      case 'code':
        return `<pre><code>${escapeHtml(block.text)}</code></pre>`;
      case 'details':
        return `<details><summary>${this.#inline(block.summary)}</summary>\n${block.blocks.map((inner) => this.block(inner, part)).join('\n')}\n</details>`;
      case 'table':
        return this.#table(block, part);
    }
  }

  #table({ head, rows }: Extract<Block, { kind: 'table' }>, part: string): string {
    const heads = head.map((cell) => `<th scope="col">${this.#inline(cell)}</th>`).join('');
    const body = rows
      .map(([first = '', ...rest]) => {
        const row = `<th scope="row">${this.#inline(first)}</th>`;
        const cells = rest.map((cell) => (part === 'Roles' ? this.#verdict(cell) : `<td>${this.#inline(cell)}</td>`));
        return `<tr>${row}${cells.join('')}</tr>`;
      })
      .join('\n');
    return `<div class="table" role="region" tabindex="0" aria-label="${escapeHtml(plainText(head.join(' ')).trim() || part)}"><table>
<thead><tr>${heads}</tr></thead>
<tbody>
${body}
</tbody></table></div>`;
  }

  /** Returns a cell of the matrix with its symbol before its words. */
  #verdict(cell: string): string {
    if (cell.startsWith('–')) return `<td class="never">${cell === '–' ? '– never' : this.#inline(cell)}</td>`;
    if (cell === 'always') return '<td class="always">● always</td>';
    return `<td class="when">◐ ${this.#inline(cell)}</td>`;
  }

  #inline(markdown: string): string {
    const pieces = readInline(markdown);
    return pieces
      .map((piece, i) => {
        const shown = escapeHtml(piece.text);
        if (piece.kind === 'text') return shown;
        // The page also works as a file, which has no node to link to.
        if (piece.kind === 'link') return `<code>${shown}</code>`;
        return piece.kind === 'reference'
          ? this.#reference(piece.text, pieces[i - 2])
          : `<${tags[piece.kind]}>${shown}</${tags[piece.kind]}>`;
      })
      .join('');
  }

  /** @param stated The part before the number, which has the words of the condition at its first mention. */
  #reference(number: string, stated: Inline | undefined): string {
    const words = this.#conditions.get(number);
    if (words !== undefined) return `<a class="ref" href="#c${number}" title="${escapeHtml(words)}">[${number}]</a>`;
    this.#conditions.set(number, stated?.text ?? '');
    return `<span class="ref" id="c${number}">[${number}]</span>`;
  }
}

const tags = { code: 'code', strong: 'strong', emphasis: 'em' } as const;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
