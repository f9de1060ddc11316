import type { OnePage, OnePageLine } from '../../../../contract/one-page.ts';
import { escapeHtml } from '../html/specification.ts';
import { style } from '../html/style.ts';
import { inline } from '../markdown/escape.ts';

/** The parts of chapter 1 that follow the purpose, each with its label. */
const aboutOf = ({ audience, owner }: OnePage): [label: string, text: string][] => [
  ...(audience === null ? [] : [['For', audience] as [string, string]]),
  ...(owner === null ? [] : [['Owner', owner] as [string, string]]),
];

const moreWords = (more: number): string => `${more} more in the specification.`;

/** Returns the page in Markdown. */
export function onePageMarkdown(page: OnePage): string {
  const line = ({ term, words }: OnePageLine) => `- ${term === null ? '' : `**${inline(term)}**: `}${inline(words)}`;
  const parts = [
    `# ${inline(page.name)}`,
    ...(page.purpose === null ? [] : [inline(page.purpose)]),
    ...(aboutOf(page).length === 0
      ? []
      : [
          aboutOf(page)
            .map(([label, text]) => `- ${label}: ${inline(text)}`)
            .join('\n'),
        ]),
    ...page.sections.flatMap(({ title, lines, more }) => [
      `## ${title}`,
      [...lines.map(line), ...(more > 0 ? [`- ${moreWords(more)}`] : [])].join('\n'),
    ]),
    `Derived from the running app ${inline(page.ref)}, version ${page.version} of its specification.`,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Returns the page as one self-contained HTML file, in light and dark colours and for print. */
export function onePageHtml(page: OnePage): string {
  const line = ({ term, words }: OnePageLine) =>
    `<li>${term === null ? '' : `<strong>${escapeHtml(term)}</strong>: `}${escapeHtml(words)}</li>`;
  const about = aboutOf(page)
    .map(([label, text]) => `<p><em>${label}</em> ${escapeHtml(text)}</p>`)
    .join('\n');
  const sections = page.sections.map(
    ({ title, lines, more }) => `<h3>${escapeHtml(title)}</h3>
<ul>
${[...lines.map(line), ...(more > 0 ? [`<li><em>${moreWords(more)}</em></li>`] : [])].join('\n')}
</ul>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(page.name)} in one page</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${escapeHtml(page.name)}</h1>
${page.purpose === null ? '' : `<p>${escapeHtml(page.purpose)}</p>`}
${about}
</header>
<main>
${sections.join('\n')}
</main>
<footer><p><em>Derived from the running app ${escapeHtml(page.ref)}, version <code>${page.version}</code> of its specification.</em></p></footer>
</body>
</html>
`;
}
