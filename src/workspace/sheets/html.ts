import type { WebFonts } from './fonts.ts'
import { styleOf } from './html-style.ts'
import {
  directionOf,
  hasCantillation,
  languagesOf,
  paragraphsOf,
  type Sheet,
  type SheetLanguage,
  type SheetRow,
  type SheetSource,
  sheetGenerator,
  type UsedVersion,
  versionsOf,
} from './sheet.ts'
import {
  colophonOf,
  directionOfSheet,
  headingOf,
  licenseText,
  noteLabel,
  refsBelow,
  versionLine,
  versionName,
  versionTitle,
  type Words,
  wordsOf,
} from './words.ts'

/** Renders a sheet as one HTML page without scripts or external files; fonts and style are embedded. */
export function sheetToHtml(sheet: Sheet, fonts: WebFonts): string {
  const words = wordsOf(sheet)
  const direction = directionOfSheet(sheet)
  return `<!doctype html>
<html lang="${direction === 'rtl' ? 'he' : 'en'}" dir="${direction}">
<head>
<meta charset="utf-8">
${sheetGenerator}
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'; font-src data:">
<title>${escaped(sheet.title)}</title>
<style>
${styleOf(fonts)}</style>
</head>
<body>
<main>
<header>
<h1 dir="auto">${escaped(sheet.title)}</h1>
${paragraphs(sheet.intro, 'intro')}</header>
${sheet.sources.map((source, index) => sourceSection(source, index + 1, words)).join('')}<footer>
<h2>${words.versions}</h2>
<ul>
${versionsOf(sheet)
  .map((version) => versionItem(version, words))
  .join('')}</ul>
<p>${colophonOf(sheet, words)}</p>
</footer>
</main>
</body>
</html>
`
}

function sourceSection(source: SheetSource, number: number, words: Words): string {
  const languages = languagesOf(source)
  const title = headingOf(source, words)
  return `<section>
<h2 dir="${directionOf(title)}"><span class="number">${number}</span> <span>${escaped(title)}</span></h2>
${refsLine(refsBelow(source, words))}<div class="${languages.length > 1 ? 'columns' : 'single'}">
${source.rows.map((row) => rowCells(row, languages)).join('')}${source.versions
  .map((version) => {
    const line = escaped(versionLine(version, words))
    return `<p class="version ${version.language}" dir="auto">${line}${link(version.url)}</p>\n`
  })
  .join('')}</div>
${noteAside(source, words)}</section>
`
}

function refsLine({ he, en }: Readonly<Record<SheetLanguage, string>>): string {
  if (he === '' && en === '') return '<div class="refs"></div>\n'
  return `<p class="refs"><bdi lang="en" dir="ltr">${escaped(en)}</bdi><bdi lang="he" dir="rtl">${escaped(he)}</bdi></p>\n`
}

function rowCells({ label, texts }: SheetRow, languages: readonly SheetLanguage[]): string {
  return languages
    .map((language) => {
      const direction = language === 'he' ? 'rtl' : 'ltr'
      const marked = hasCantillation(texts[language]) ? ' cantillated' : ''
      const number = label[language] === '' ? '' : `<span class="label">${escaped(label[language])}</span> `
      const lines = paragraphsOf(texts[language]).map((line) => `<p>${escaped(line)}</p>`)
      const numbered = lines.join('').replace('<p>', `<p>${number}`)
      return `<div class="text ${language}${marked}" lang="${language}" dir="${direction}">${numbered}</div>\n`
    })
    .join('')
}

function noteAside({ note }: SheetSource, words: Words): string {
  if (note === '') return ''
  const direction = directionOf(note)
  return `<aside dir="${direction}">\n<h3>${noteLabel(note, words)}</h3>\n${paragraphs(note, 'note')}</aside>\n`
}

function versionItem(version: UsedVersion, words: Words): string {
  const name = `<bdi>${escaped(versionName(version, words))}</bdi>: <bdi>${escaped(versionTitle(version, words))}</bdi>`
  const license = `${words.license}: <bdi>${escaped(licenseText(version, words))}</bdi>`
  return `<li>${name}. ${license}.${link(version.url)} (${words.sources}: ${version.sources.join(', ')})</li>\n`
}

function paragraphs(text: string, name: string): string {
  return paragraphsOf(text)
    .map((line) => `<p class="${name}" dir="${directionOf(line)}">${escaped(line)}</p>\n`)
    .join('')
}

function link(url: string): string {
  if (url === '') return ''
  return ` <a href="${escaped(url)}" dir="ltr" rel="noreferrer">${escaped(shown(url))}</a>`
}

/** A URL in readable form. */
function shown(url: string): string {
  return url.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '')
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
