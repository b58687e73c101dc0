import type { ReadPassage } from '../../../sheets/content.ts'
import {
  languagesOf,
  paragraphsOf,
  type SheetLanguage,
  type SheetSource,
} from '../../../workspace/sheets/sheet.ts'
import { versionLine, wordsIn } from '../../../workspace/sheets/words.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { nameIn } from '../../components/names.ts'
import { notice } from '../../components/page.ts'
import { sourceLink } from '../../components/texts.ts'
import type { Texts } from '../../texts/catalogue.ts'

/** The texts of a passage side by side, each with its version, licence and origin below it. */
export function sourceTexts(t: Texts, source: SheetSource): Html {
  const languages = languagesOf(source)
  return html`<div class="sheet-columns${languages.length > 1 ? '' : ' single'}">${languages.map(
    (language) => {
      const direction = language === 'he' ? 'rtl' : 'ltr'
      return html`<div class="sheet-column ${language}"><div class="text" lang="${language}" dir="${direction}">
${source.rows.map((row) => rowLines(row, language))}</div>${versionOf(t, source, language)}</div>`
    },
  )}</div>`
}

/** The lines of one passage, the first with the number of the passage. */
function rowLines({ label, texts }: SheetSource['rows'][number], language: SheetLanguage): readonly Html[] {
  return paragraphsOf(texts[language]).map((line, i) => {
    const number = i === 0 && label[language] ? html`<span class="verse">${label[language]}</span> ` : nothing
    return html`<p>${number}${line}</p>`
  })
}

function versionOf(t: Texts, { versions, ref, heRef }: SheetSource, language: SheetLanguage): Html {
  const version = versions.find((one) => one.language === language)
  if (!version) return nothing
  const title = t.library.versionName(version.title)
  const line = versionLine({ ...version, title }, wordsIn(t.language))
  const name = t.common.sourceOf(`${nameIn(t, { en: ref, he: heRef })}, ${title}`)
  return html`<p class="version faint" dir="auto"><bdi>${line}</bdi>
${version.url ? html` · ${sourceLink(version.url, t.common.source, name)}` : nothing}</p>`
}

/** Says that the library no longer has the version that the sheet names; nothing when it has. */
export function replacedNote(t: Texts, { replaced }: ReadPassage): Html {
  return replaced.length === 0 ? nothing : notice('note', t.sheets.replaced(replaced))
}
