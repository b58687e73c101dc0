import type { WebFonts } from './fonts.ts'

/** The style of a sheet: two columns on paper and wide screens, Hebrew above English on phones, light and dark. */
export function styleOf(fonts: WebFonts): string {
  return fonts.map(fontFace).join('') + style
}

function fontFace({ weight, range, base64 }: WebFonts[number]): string {
  return `@font-face { font-family: "Frank Ruhl Libre"; font-weight: ${weight}; unicode-range: ${range}; src: url(data:font/woff2;base64,${base64}) format("woff2"); }\n`
}

const style = `:root {
  color-scheme: light dark;
  --ink: #1d1b18; --grey: #6d675e; --rule: #d9d2c5; --accent: #7a2e1d; --paper: #fffdf9; --note: #f6f1e7;
}
@media (prefers-color-scheme: dark) {
  :root { --ink: #e9e4da; --grey: #a19a8d; --rule: #45403a; --accent: #e0a07f; --paper: #1b1917; --note: #26231f; }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 1.0625rem/1.55 "Frank Ruhl Libre", "Times New Roman", "Noto Serif Hebrew", serif;
  font-kerning: none; /* the font pulls Latin words together across blanks */
}
main { max-width: 54rem; margin: 0 auto; padding: 3rem 1.5rem 4rem; }
p { margin: 0; }
h1 { font-size: 2.1rem; line-height: 1.2; text-align: center; margin: 0 0 1rem; text-wrap: balance; }
.intro { max-width: 38rem; margin: 0 auto .5rem; color: var(--grey); font-size: 1.1rem; }
section { margin-top: 2.75rem; }
h2 { font-size: 1.3rem; line-height: 1.3; margin: 0; display: flex; gap: .6rem; align-items: baseline; }
.number { color: var(--accent); }
.refs {
  display: flex; justify-content: space-between; flex-wrap: wrap; gap: 0 2rem; direction: ltr;
  margin: .15rem 0 .8rem; padding-bottom: .35rem; border-bottom: 1px solid var(--rule); color: var(--accent);
}
.columns { display: grid; grid-template-columns: 1fr 1fr; gap: .7rem 2.2rem; direction: rtl; }
.single { display: grid; gap: .7rem; }
.text p + p { margin-top: .35rem; }
.text.he { font-kerning: auto; font-size: 1.22rem; line-height: 1.6; text-align: justify; }
.text.en { hyphens: auto; }
.text.cantillated { font-family: "SBL Hebrew", "Noto Serif Hebrew", "Times New Roman", serif; line-height: 1.9; }
.label { color: var(--grey); font-size: .78em; margin-inline-end: .15em; }
.version { font-size: .8rem; line-height: 1.4; color: var(--grey); overflow-wrap: anywhere; }
.version.he { text-align: right; }
.version.en { text-align: left; }
.version a, footer a { color: inherit; }
aside {
  margin-top: 1rem; padding: .7rem 1rem .8rem; background: var(--note); border-inline-start: 3px solid var(--accent);
}
h3 { font-size: .85rem; font-weight: 700; margin: 0 0 .15rem; color: var(--accent); letter-spacing: .03em; }
.note + .note { margin-top: .4rem; }
footer { margin-top: 3.5rem; padding-top: 1rem; border-top: 1px solid var(--rule); font-size: .88rem; color: var(--grey); }
footer h2 { font-size: 1rem; color: var(--ink); }
footer ul { margin: .5rem 0 1rem; padding-inline-start: 1.2rem; }
footer li { margin-bottom: .25rem; overflow-wrap: anywhere; }
@media (max-width: 40rem) {
  main { padding: 1.75rem 1.1rem 3rem; }
  h1 { font-size: 1.7rem; }
  .columns { grid-template-columns: 1fr; gap: .55rem; }
  .columns .en + .he { margin-top: .5rem; }
}
@page { size: A4; margin: 18mm 18mm 20mm; @bottom-center { content: counter(page) "/" counter(pages); font: 9pt serif; color: #6d675e; } }
@media print {
  :root { --ink: #000; --grey: #555; --rule: #bbb; --accent: #6d2a1b; --paper: #fff; --note: #f5f2eb; }
  body { font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  h2, .refs, h3 { break-after: avoid; }
  aside { break-inside: avoid; print-color-adjust: exact; }
  .text p { orphans: 2; widows: 2; }
  a { text-decoration: none; }
}
`
