/** The values that the banner shows. */
export interface BannerFacts {
  url: string;
  /** The one-time set-up link; null if a builder exists. */
  setupUrl: string | null;
  refs: readonly string[];
  /** Returns the URL of an app's API. */
  appUrl: (ref: string) => string;
  postgres: string;
  home: string;
  workers: number;
  milliseconds: number;
}

/** Returns the text that `ninefold start` prints when the node is ready: the URL of the console and the next step. */
export function banner(facts: BannerFacts): string {
  const lines = [
    '',
    `  Ninefold is ready (${Math.round(facts.milliseconds)} ms, ${facts.workers} ${facts.workers === 1 ? 'worker' : 'workers'}, ${facts.postgres})`,
    '',
    `  Console       ${facts.url}`,
  ];
  if (facts.setupUrl) lines.push(`  First builder ${facts.setupUrl}`, '                (this link works once)');
  const [first] = facts.refs;
  if (first === undefined) {
    lines.push('', '  Create app    in the console, or: node bin/ninefold.js apps create my-app');
  } else {
    lines.push(
      '',
      `  Connect       createClient('${facts.appUrl(first)}', PUBLISHABLE_KEY)`,
      `                keys: node bin/ninefold.js keys ${first}`,
    );
    if (facts.refs.length > 1) lines.push(`                ${facts.refs.length} apps: node bin/ninefold.js apps list`);
  }
  lines.push('', `  Data          ${facts.home}`, '  Stop          Ctrl-C', '', '');
  return lines.join('\n');
}
