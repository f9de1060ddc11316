/**
 * Reads the text of PostgreSQL's node trees: `({QUERY :commandType 1 … :jointree {FROMEXPR …} …})`. Braces nest; a
 * backslash escapes the next character.
 */

/** Returns the outermost nodes of a list of nodes. */
export function nodesOf(list: string): string[] {
  const nodes: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < list.length; at++) {
    if (list[at] === '\\') at += 1;
    else if (list[at] === '{' && depth++ === 0) start = at;
    else if (list[at] === '}' && --depth === 0) nodes.push(list.slice(start, at + 1));
  }
  return nodes;
}

/** Returns the text of a node without the nodes within it, of which only the braces remain. */
export function ownFields(node: string): string {
  const inner = node.slice(1, -1);
  return nodesOf(inner).reduce((text, each) => text.replace(each, () => '{}'), inner);
}
