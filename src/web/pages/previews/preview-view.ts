import type { Passage } from '../../../sources/library/types.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { readHref } from '../../components/library-links.ts'
import { directionOf } from '../../components/texts.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { excerptOf } from './excerpt.ts'

/** Characters of one language. */
const maxText = 320

/** The beginning of a passage, Hebrew first, with the licence of each text and a link that opens it. */
export function passagePreview(t: Texts, ref: string, passages: readonly Passage[]): Html {
  const heRef = passages[0]?.heRef ?? ''
  const shown = firstOfEach(passages)
  return html`<p class="preview-head" data-label="${t.answers.preview(ref)}"><b dir="auto">${ref}</b>
${heRef === '' || heRef === ref ? nothing : html`<span lang="he" dir="rtl">${heRef}</span>`}</p>
${shown.map((passage) => textOf(t, passage))}
<p class="preview-foot">
<a class="button quiet" href="${readHref(ref)}">${t.answers.open}<span class="sr"> ${ref}</span></a></p>`
}

/** The first passage in Hebrew, and the first one in English or another language. */
function firstOfEach(passages: readonly Passage[]): readonly Passage[] {
  const hebrew = passages.find(({ language }) => language === 'he')
  const other =
    passages.find(({ language }) => language === 'en') ?? passages.find(({ language }) => language !== 'he')
  return [hebrew, other].filter((passage) => passage !== undefined)
}

function textOf(t: Texts, { language, text, version, license }: Passage): Html {
  const facts = [t.languageName(language), version, license === '' ? '' : t.answers.licence(license)]
  return html`<p class="text" lang="${language}" dir="${directionOf(language)}">${excerptOf(text, [], maxText).text}</p>
<p class="faint" dir="auto">${facts.filter((fact) => fact !== '').join(' · ')}</p>`
}
