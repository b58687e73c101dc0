import type { FileReader, ReadEntry } from '../../../sheets/content.ts'
import type { StoredSheet } from '../../../sheets/store.ts'
import { directionOf, paragraphsOf } from '../../../workspace/sheets/sheet.ts'
import { headingOf, languageForReader, refsBelow, wordsIn } from '../../../workspace/sheets/words.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { notice, type Page } from '../../components/page.ts'
import { type Texts, textsIn } from '../../texts/catalogue.ts'
import { downloadMenu, printButton, sheetBar } from './sheet-bar.ts'
import { replacedNote, sourceTexts } from './source-view.ts'

type Shown = {
  readonly sheet: StoredSheet
  readonly entries: readonly ReadEntry[]
  /** Names the refs of missing passages. */
  readonly nameOf: FileReader['nameOf']
}

/** The sheet as its readers see it, for its author. */
export function previewPage(t: Texts, shown: Shown): Page {
  return {
    title: shown.sheet.title,
    section: 'sheets',
    sheets: ['menus', 'sheets', 'sheet'],
    scripts: ['menus.js', 'print.js'],
    main: html`${sheetBar(t, shown.sheet, 'preview')}${article(t, shown)}`,
  }
}

/** The sheet for everybody who has its public link. */
export function sharedPage(t: Texts, shown: Shown, token: string): Page {
  return {
    title: shown.sheet.title,
    sheets: ['menus', 'sheets', 'sheet'],
    scripts: ['menus.js', 'print.js'],
    main: html`<div class="sheet-bar shared">${downloadMenu(t, `/sheets/shared/${token}/file`)}
${printButton(t)}</div>${article(t, shown)}`,
  }
}

/** The paper has the language of the files that the reader gets. */
function article(pageTexts: Texts, { sheet, entries, nameOf }: Shown): Html {
  const { title, intro } = sheet
  const t = textsIn(languageForReader(title, pageTexts.language))
  let number = 0
  const views = entries.map((entry) => {
    if (entry.kind === 'note') return note(entry.text)
    number += 1
    return entry.kind === 'missing'
      ? missing(t, entry, nameOf(entry.entry.ref), number)
      : passage(t, entry, number)
  })
  return html`<article class="sheet-paper" lang="${t.language}" dir="${t.direction}">
<header><h1 dir="auto">${title}</h1>
${paragraphsOf(intro).map((line) => html`<p class="intro" dir="auto">${line}</p>`)}</header>
${entries.length === 0 ? html`<p class="faint">${t.sheets.noPassages}</p>` : views}
${number === 0 ? nothing : html`<footer class="faint"><p>${t.sheets.colophon}</p></footer>`}</article>`
}

function note(text: string): Html {
  if (text === '') return nothing
  return html`<div class="sheet-note" dir="${directionOf(text)}">${paragraphsOf(text).map(
    (line) => html`<p dir="auto">${line}</p>`,
  )}</div>`
}

function passage(t: Texts, entry: Extract<ReadEntry, { kind: 'passage' }>, number: number): Html {
  const words = wordsIn(t.language)
  const title = headingOf(entry.source, words)
  const { en, he } = refsBelow(entry.source, words)
  return html`<section class="sheet-source"><h2 dir="${directionOf(title)}"><span class="number">${number}</span>
<span>${title}</span></h2>
<p class="row sheet-refs">${en === '' || en === title ? nothing : html`<bdi lang="en" dir="ltr">${en}</bdi>`}
${he === '' || he === title ? nothing : html`<span class="he-ref" lang="he" dir="rtl">${he}</span>`}</p>
${replacedNote(t, entry)}${sourceTexts(t, entry.source)}</section>`
}

function missing(
  t: Texts,
  { entry, problem }: Extract<ReadEntry, { kind: 'missing' }>,
  ref: string,
  number: number,
): Html {
  const title = entry.heading === '' ? ref : entry.heading
  const gone = html`<bdi>${ref}</bdi>: ${t.sheets.unavailable[problem.kind]}`
  return html`<section class="sheet-source"><h2 dir="${directionOf(title)}"><span class="number">${number}</span>
<span>${title}</span></h2>
${notice('note', gone)}</section>`
}
