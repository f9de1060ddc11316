import { Fragment, type ReactNode } from 'react';
import { classNames } from '../../ui/class-names.ts';
import styles from './markdown.module.css';

/** A part of a text: a paragraph, a heading, a list, a quotation or code. */
export type Block =
  | { readonly kind: 'paragraph' | 'heading' | 'quotation' | 'code'; readonly text: string }
  | { readonly kind: 'list'; readonly isNumbered: boolean; readonly items: readonly string[] };

// The patterns of this file take linear time: a stored text may be long and hostile.
const listItem = /^\s{0,3}(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/s;

/** Max number of characters that are read as Markdown. The elements of a longer text would slow the page down. */
const MOST_CHARACTERS = 200_000;

/** Splits a text into blocks. Reads CommonMark, except nested blocks and HTML. A very long text is one block of code. Pure. */
export function blocksOf(text: string): Block[] {
  if (text.length > MOST_CHARACTERS) return [{ kind: 'code', text }];
  const blocks: Block[] = [];
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const run = (test: (line: string) => boolean): string[] => {
      const from = at;
      while (at < lines.length && test(lines[at] ?? '')) at += 1;
      return lines.slice(from, at);
    };
    const item = listItem.exec(line);
    if (line.trim() === '') at += 1;
    else if (/^```/.test(line)) {
      at += 1;
      blocks.push({ kind: 'code', text: run((one) => !/^```/.test(one)).join('\n') });
      at += 1;
    } else if (/^#{1,6}\s/.test(line)) {
      at += 1;
      blocks.push({ kind: 'heading', text: line.replace(/^#+\s+/, '').replace(/(?<!\s)\s+#+$/, '') });
    } else if (/^>/.test(line)) {
      const quoted = run((one) => /^>/.test(one)).map((one) => one.replace(/^>\s?/, ''));
      blocks.push({ kind: 'quotation', text: quoted.join('\n') });
    } else if (item) {
      const isNumbered = item[1] !== undefined;
      const items = run((one) => {
        const found = listItem.exec(one);
        return found !== null && (found[1] !== undefined) === isNumbered;
      });
      blocks.push({ kind: 'list', isNumbered, items: items.map((one) => listItem.exec(one)?.[2] ?? '') });
    } else {
      const isOther = (one: string) => one.trim() === '' || /^(```|#{1,6}\s|>)/.test(one) || listItem.test(one);
      blocks.push({ kind: 'paragraph', text: run((one) => !isOther(one)).join('\n') });
    }
  }
  return blocks;
}

/** A part of a line: plain text, or text with a mark such as bold. */
export interface Span {
  readonly text: string;
  readonly mark?: 'strong' | 'em' | 'code';
  /** Target of a link: an http, https or mailto address, or a path of the app. */
  readonly href?: string;
}

const inline =
  /`([^`\n]+)`|\*\*([^*\n]+)\*\*|__([^_\n]+)__|\*([^*\s][^*\n]*)\*|\b_([^_\s][^_\n]*)_\b|\[([^[\]\n]+)\]\(([^()\s]+)\)|(https?:\/\/[^\s<>()]+[^\s<>().,;:!?'"])/g;

/** Returns true for a target that cannot run code: an http, https or mailto address, or a path of the app. */
const isSafe = (href: string): boolean => /^(https?:\/\/|mailto:|\/(?![/\\]))/i.test(href);

/** Splits a line at its marks. A link whose target is not safe is left as it is written. Pure. */
export function spansOf(text: string): Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const found of text.matchAll(inline)) {
    const [whole, code, strong, strongToo, em, emToo, label, target, bare] = found;
    if (found.index > end) spans.push({ text: text.slice(end, found.index) });
    end = found.index + whole.length;
    const marked = strong ?? strongToo;
    const stressed = em ?? emToo;
    if (code !== undefined) spans.push({ text: code, mark: 'code' });
    else if (marked !== undefined) spans.push({ text: marked, mark: 'strong' });
    else if (stressed !== undefined) spans.push({ text: stressed, mark: 'em' });
    else if (bare !== undefined) spans.push({ text: bare, href: bare });
    else if (label !== undefined && target !== undefined && isSafe(target)) spans.push({ text: label, href: target });
    else spans.push({ text: whole });
  }
  if (end < text.length) spans.push({ text: text.slice(end) });
  return spans;
}

/** Shows a long text with its Markdown. HTML in the text is shown as text. */
export function Markdown({
  text,
  hasHeadings = false,
  className,
}: {
  text: string;
  /** True if the headings of the text are headings of the page, and not only of a value. */
  hasHeadings?: boolean;
  className?: string | undefined;
}) {
  return (
    <div className={classNames(styles.text, className)} dir="auto">
      {blocksOf(text).map((block, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: The blocks of a text have no other identity.
        <Fragment key={i}>{shown(block, hasHeadings)}</Fragment>
      ))}
    </div>
  );
}

function shown(block: Block, hasHeadings: boolean): ReactNode {
  switch (block.kind) {
    case 'heading':
      return hasHeadings ? (
        <h2>
          <Inline text={block.text} />
        </h2>
      ) : (
        <p className={styles.heading}>
          <Inline text={block.text} />
        </p>
      );
    case 'quotation':
      return (
        <blockquote>
          <Inline text={block.text} />
        </blockquote>
      );
    case 'code':
      return (
        <pre>
          <code>{block.text}</code>
        </pre>
      );
    case 'list': {
      const List = block.isNumbered ? 'ol' : 'ul';
      return (
        <List>
          {block.items.map((item, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: The items of a text have no other identity.
            <li key={i}>
              <Inline text={item} />
            </li>
          ))}
        </List>
      );
    }
    default:
      return (
        <p>
          <Inline text={block.text} />
        </p>
      );
  }
}

function Inline({ text }: { text: string }) {
  return spansOf(text).map((span, i) => {
    const Mark = span.mark ?? Fragment;
    const marked = <Mark>{span.text}</Mark>;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: The parts of a line have no other identity.
      <Fragment key={i}>
        {span.href === undefined ? (
          marked
        ) : (
          <a href={span.href} rel="noreferrer nofollow ugc">
            {marked}
          </a>
        )}
      </Fragment>
    );
  });
}
