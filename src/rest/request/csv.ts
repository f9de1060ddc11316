/** CSV as RFC 4180 has it, with line ends of either kind. */

/** The cells of each line. Throws SyntaxError when a quoted cell does not end, or goes on after its closing quote. */
export function parseCsv(text: string): string[][] {
  const lines: string[][] = [];
  let cells: string[] = [];
  let pos = 0;
  const endLine = (): void => {
    // an empty line, as at the end of most files, is no row
    if (cells.length > 1 || cells[0] !== '') lines.push(cells);
    cells = [];
  };
  while (pos <= text.length) {
    let cell: string;
    if (text[pos] === '"') {
      [cell, pos] = quotedCell(text, pos);
    } else {
      const end = nextOf(text, pos);
      cell = text.slice(pos, end);
      pos = end;
    }
    cells.push(cell);
    if (text[pos] === ',') {
      pos += 1;
      continue;
    }
    endLine();
    pos += text[pos] === '\r' && text[pos + 1] === '\n' ? 2 : 1;
    if (pos >= text.length) break;
  }
  return lines;
}

function nextOf(text: string, from: number): number {
  let pos = from;
  while (pos < text.length && text[pos] !== ',' && text[pos] !== '\n' && text[pos] !== '\r') pos += 1;
  return pos;
}

function quotedCell(text: string, from: number): [string, number] {
  let cell = '';
  let pos = from + 1;
  for (;;) {
    const quote = text.indexOf('"', pos);
    if (quote === -1) throw new SyntaxError('a quoted CSV value does not end');
    cell += text.slice(pos, quote);
    if (text[quote + 1] !== '"') {
      const next = text[quote + 1];
      if (next !== undefined && next !== ',' && next !== '\n' && next !== '\r') {
        throw new SyntaxError('a quoted CSV value goes on after its closing quote');
      }
      return [cell, quote + 1];
    }
    cell += '"';
    pos = quote + 2;
  }
}
