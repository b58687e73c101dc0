import type { ReadEntry } from '../../../sheets/content.ts'
import type { StoredSheet } from '../../../sheets/store.ts'
import { directionOf, paragraphsOf } from '../../../workspace/sheets/sheet.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { nameIn } from '../../components/names.ts'
import { notice, type Page } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { downloadMenu, printButton, sheetBar } from './sheet-bar.ts'
import { replacedNote, sourceTexts } from './source-view.ts'

type Shown = { readonly sheet: StoredSheet; readonly entries: readonly ReadEntry[] }

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

function article(t: Texts, { sheet, entries }: Shown): Html {
  const { title, intro } = sheet
  let number = 0
  const views = entries.map((entry) => {
    if (entry.kind === 'note') return note(entry.text)
    number += 1
    return entry.kind === 'missing' ? missing(t, entry, number) : passage(t, entry, number)
  })
  return html`<article class="sheet-paper"><header><h1 dir="auto">${title}</h1>
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
  const { ref, heRef, heading } = entry.source
  const title = heading === '' ? nameIn(t, { en: ref, he: heRef }) : heading
  return html`<section class="sheet-source"><h2 dir="${directionOf(title)}"><span class="number">${number}</span>
<span>${title}</span></h2>
<p class="sheet-refs">${title === ref ? nothing : html`<bdi lang="en" dir="ltr">${ref}</bdi>`}
${title === heRef ? nothing : html`<span class="he-ref" lang="he" dir="rtl">${heRef}</span>`}</p>
${replacedNote(t, entry)}${sourceTexts(t, entry.source)}</section>`
}

function missing(
  t: Texts,
  { entry, problem }: Extract<ReadEntry, { kind: 'missing' }>,
  number: number,
): Html {
  const title = entry.heading === '' ? entry.ref : entry.heading
  const gone = html`<bdi>${entry.ref}</bdi>: ${t.sheets.unavailable[problem.kind]}`
  return html`<section class="sheet-source"><h2 dir="${directionOf(title)}"><span class="number">${number}</span>
<span>${title}</span></h2>
${notice('note', gone)}</section>`
}
