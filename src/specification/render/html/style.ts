/** The style of the exported page. It uses the colours of the console and system fonts. */
export const style = `
:root {
  --serif: "Newsreader", "Iowan Old Style", Georgia, serif; --sans: "IBM Plex Sans", system-ui, sans-serif;
  --mono: "IBM Plex Mono", ui-monospace, Menlo, monospace;
  --paper: #fcfcfa; --paper-2: #f5f5f1; --rule: #e2e2dc; --rule-2: #c8c8c0; --ink: #16181d; --ink-2: #454850; --ink-3: #63666e;
  --blue: #1650bd; --always: #0a6650; --when: #855000;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #141619; --paper-2: #0f1113; --rule: #2a2e33; --rule-2: #42474e; --ink: #e9e8e4; --ink-2: #b9bbc0; --ink-3: #979ba2;
    --blue: #8fb3ff; --always: #62c9ab; --when: #e0ae55;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1080px; padding: 40px 24px 80px; background: var(--paper); color: var(--ink); font: 14px/22px var(--sans); }
h1 { font: 400 36px/40px var(--serif); margin: 0 0 8px; }
header p { color: var(--ink-2); margin: 0; }
header p + p { margin-top: 8px; }
nav { margin: 32px 0; padding: 16px 0; border-block: 1px solid var(--rule-2); display: grid; grid-template-columns: repeat(auto-fit, minmax(300px, 1fr)); gap: 8px 32px; }
nav ol, nav ul { list-style: none; margin: 0; padding: 0; }
nav li { break-inside: avoid; padding: 2px 0; }
nav a { text-decoration: none; font-weight: 500; }
nav i { font-style: normal; color: var(--ink-3); }
nav b { display: inline-block; width: 20px; font-weight: 400; font-family: var(--serif); }
a { color: var(--blue); }
a:focus-visible, summary:focus-visible, .table:focus-visible { outline: 2px solid var(--blue); outline-offset: 2px; }
section { border-top: 1px solid var(--rule-2); padding-top: 24px; margin-top: 48px; }
h2 { font: 400 24px/30px var(--serif); margin: 0 0 16px; }
h2 .numeral { color: var(--blue); font-size: 36px; margin-right: 8px; }
h2 .name { display: block; font: 500 12px/18px var(--sans); color: var(--ink-3); }
h3 { font: 400 17px/25px var(--serif); margin: 32px 0 8px; overflow-wrap: anywhere; }
p, ul { margin: 8px 0; max-width: 78ch; overflow-wrap: anywhere; }
ul { padding-left: 20px; }
em { color: var(--ink-3); font-style: normal; }
em:has(+ .ref) { color: inherit; }
.ref { font-size: 11px; line-height: 1; color: var(--ink-3); text-decoration: none; font-variant-numeric: tabular-nums; }
a.ref { color: var(--blue); }
:target { background: color-mix(in srgb, var(--blue) 18%, transparent); }
code { font: 12px/18px var(--mono); color: var(--ink-2); overflow-wrap: anywhere; }
pre { background: var(--paper-2); border: 1px solid var(--rule); padding: 12px; overflow-x: auto; margin: 8px 0; }
summary { cursor: pointer; color: var(--ink-3); font-size: 12px; }
.table { overflow-x: auto; margin: 8px 0 16px; }
table { border-collapse: collapse; width: 100%; font-size: 13px; line-height: 20px; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: 6px 16px 6px 0; border-bottom: 1px solid var(--rule); min-width: 64px; }
thead th { color: var(--ink-3); font-size: 12px; font-weight: 500; border-bottom-color: var(--rule-2); }
tbody th { font-weight: 400; }
th code, td code { overflow-wrap: normal; }
.always { color: var(--always); } .when { color: var(--when); } .never { color: var(--ink-3); }
@media (max-width: 600px) { body { padding: 24px 16px 64px; } h1 { font-size: 24px; line-height: 30px; } }
@media print {
  :root { --paper: #fff; --paper-2: #fff; --ink: #000; --ink-2: #222; --ink-3: #555; --rule: #ccc; --rule-2: #999; --blue: #000;
    --always: #000; --when: #000; }
  body { max-width: none; padding: 0; font-size: 10pt; line-height: 14pt; }
  section { break-before: page; margin-top: 0; }
  h3, thead, tr { break-after: avoid; break-inside: avoid; }
  .table { overflow: visible; }
  pre { white-space: pre-wrap; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
`;
