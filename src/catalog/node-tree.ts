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

/** A node with its fields. The value of a field is a node, a list of nodes, or a scalar as PostgreSQL prints it. */
export interface TreeNode {
  readonly type: string;
  readonly fields: ReadonlyMap<string, TreeValue>;
  /** The text of the node. */
  readonly text: string;
}

export interface TreeValue {
  readonly nodes: readonly TreeNode[];
  readonly text: string;
}

/** Reads the nodes of a list with all nodes within them. */
export const readNodes = (list: string): TreeNode[] => nodesOf(list).map(readNode);

function readNode(text: string): TreeNode {
  const inner = text.slice(1, -1);
  const starts: number[] = [];
  let depth = 0;
  let isAfterSpace = false;
  for (let at = 0; at < inner.length; at++) {
    const character = inner[at];
    if (character === '\\') at += 1;
    else if (character === '{') depth++;
    else if (character === '}') depth--;
    else if (depth === 0 && isAfterSpace && character === ':') starts.push(at);
    isAfterSpace = character === ' ' || character === '\n';
  }
  const fields = starts.map((start, i): [string, TreeValue] => {
    const field = inner.slice(start + 1, starts[i + 1]);
    const [name = ''] = /^\w+/.exec(field) ?? [];
    const value = field.slice(name.length).trim();
    return [name, { nodes: readNodes(value), text: value }];
  });
  return { type: inner.slice(0, starts[0]).trim(), fields: new Map(fields), text };
}
