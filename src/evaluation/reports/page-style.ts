/** Styles of the report pages. They stand in the page itself, which loads nothing. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#fbfaf7, #171716);
  --card: light-dark(#ffffff, #1f1f1d);
  --sunk: light-dark(#f2f0ea, #262624);
  --ink: light-dark(#1f1d1a, #ebe8e1);
  --soft: light-dark(#605c54, #aaa69c);
  --line: light-dark(#e0dcd2, #3a3935);
  --accent: light-dark(#1f5f5b, #86cbc4);
  --good: light-dark(#1d6b34, #8fd6a2);
  --bad: light-dark(#a3262a, #f0908f);
  --warn: light-dark(#7a5200, #e8c069);
  --good-soft: light-dark(#e2f1e4, #1f3325);
  --bad-soft: light-dark(#fae3e2, #3b2323);
  --warn-soft: light-dark(#fbf1d9, #37301d);
  --mark: light-dark(#ffe9a8, #5c4c16);
  --serif: "Frank Ruhl Libre", "Noto Serif Hebrew", Georgia, serif;
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem clamp(0.75rem, 3vw, 2.25rem) 4rem; max-width: 78rem;
  background: var(--paper); color: var(--ink); overflow-wrap: anywhere;
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", "Noto Sans Hebrew", sans-serif;
}
h1 { font-size: 1.6rem; margin: 0 0 0.25rem; }
h2 { font-size: 1.2rem; margin: 2rem 0 0.75rem; }
h3, h4 { font-size: 0.95rem; margin: 0 0 0.5rem; }
.side > * + h4 { margin-top: 0.9rem; }
.side > .refs { margin-bottom: 0.5rem; }
a { color: var(--accent); }
.soft { color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.3rem 0.75rem; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top; }
.totals td, .totals thead th:not(:first-child) { text-align: end; white-space: nowrap; }
.totals th[scope=row] { font-weight: 600; min-width: 8.5rem; overflow-wrap: break-word; }
.totals .part th[scope=row] { font-weight: 400; padding-inline-start: 1.75rem; color: var(--soft); }
.filters { display: flex; flex-wrap: wrap; gap: 0.5rem; margin: 0 0 1rem; padding: 0; border: 0; }
.filters legend { padding: 0; margin-bottom: 0.4rem; color: var(--soft); }
.filters label {
  display: inline-flex; align-items: center; gap: 0.4rem; padding: 0.3rem 0.8rem; cursor: pointer;
  border: 1px solid var(--line); border-radius: 999px; background: var(--card);
}
.filters label:has(:checked) { border-color: var(--accent); color: var(--accent); }
.question {
  margin: 0 0 1rem; padding: 1rem 1.25rem; break-inside: avoid-page;
  border: 1px solid var(--line); border-radius: 10px; background: var(--card);
}
.question > header { display: flex; flex-wrap: wrap; gap: 0.4rem 0.6rem; align-items: baseline; }
.asked { margin: 0.5rem 0 0.25rem; font-size: 1.125rem; font-weight: 600; }
.why { margin: 0.25rem 0; }
.why q { display: block; margin-block: 0.25rem; padding-inline: 0.9rem; }
.cite::before { content: "["; }
.cite::after { content: "]"; }
.cite { text-decoration: none; }
.sides { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1.25rem; margin-top: 0.75rem; }
.side { min-width: 0; }
.answer { padding: 0.75rem 1rem; border-radius: 8px; background: var(--sunk); }
.answer > :first-child, .passage > :first-child { margin-top: 0; }
.answer > :last-child { margin-bottom: 0; }
.answer blockquote, .passage blockquote {
  margin: 0.5rem 0; padding-inline-start: 0.9rem; border-inline-start: 3px solid var(--line);
}
.answer :is(h3, h4, h5, h6) { margin: 0.75rem 0 0.25rem; }
.answer pre { overflow-x: auto; }
.preview-text { white-space: pre-wrap; }
.hebrew, [lang=he] { font-family: var(--serif); font-size: 1.08em; }
.badge {
  display: inline-block; padding: 0.05rem 0.55rem; border-radius: 999px; font-size: 0.82rem; white-space: nowrap;
  background: var(--sunk); color: var(--soft);
}
.right, .verbatim, .edited, .better, .found { background: var(--good-soft); color: var(--good); }
.wrong, .failed, .not_found, .worse, .lacking { background: var(--bad-soft); color: var(--bad); }
.partly, .fuzzy, .misattributed { background: var(--warn-soft); color: var(--warn); }
.sources, .refs { margin: 0; padding: 0; list-style: none; }
.sources > li + li { margin-top: 0.5rem; padding-top: 0.5rem; border-top: 1px solid var(--line); }
.refs li { margin-bottom: 0.25rem; }
summary { cursor: pointer; }
.passage { margin: 0.5rem 0 0; }
.passage blockquote { max-height: 16rem; overflow: auto; }
mark { background: var(--mark); color: inherit; }
.foot { margin-top: 0.75rem; font-size: 0.88rem; color: var(--soft); }
body:has(#show-wanting:checked) .question:not(.is-wanting),
body:has(#show-refuse:checked) .question:not(.is-refuse),
body:has(#show-en:checked) .question:not(.is-en),
body:has(#show-he:checked) .question:not(.is-he),
body:has(#show-asked:checked) .question:not(.is-asked),
body:has(#show-better:checked) .question:not(.is-better),
body:has(#show-worse:checked) .question:not(.is-worse) { display: none; }
@media (max-width: 52rem) {
  .sides { grid-template-columns: minmax(0, 1fr); }
  .question { padding: 0.9rem; }
  .totals { font-size: 0.88rem; }
  .totals :is(th, td) { padding-inline: 0.35rem; }
  .totals .part th[scope=row] { padding-inline-start: 1rem; }
}
@media print {
  :root { color-scheme: light; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  .filters { display: none; }
  .question { border-width: 0 0 1px; border-radius: 0; padding: 0.75rem 0; break-inside: auto; }
  .question > header, .asked { break-after: avoid; }
  .passage blockquote { max-height: none; }
  details::details-content { content-visibility: visible; display: block; }
}
`
