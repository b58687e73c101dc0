import type { VersionFacts, Work } from '../../../sources/library/catalogue.ts'
import type { Passage } from '../../../sources/library/types.ts'
import { type Html, html, joined, nothing } from '../../components/html.ts'
import { readHref, workHref } from '../../components/library-links.ts'
import { type Names, nameIn } from '../../components/names.ts'
import { directionOf } from '../../components/texts.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { authorName } from '../wording.ts'
import { excerptOf } from './excerpt.ts'

/** Characters of one language. */
const maxText = 320

/** Versions of a work. */
const maxVersions = 4

/**
 * The beginning of a passage, Hebrew first, with the licence of each text and a link that opens it.
 * @param names the ref in both languages.
 */
export function passagePreview(t: Texts, names: Names, passages: readonly Passage[]): Html {
  const ref = names.en
  const name = nameIn(t, names)
  const shown = firstOfEach(passages)
  return html`${head(t, names)}
${shown.map((passage) => textOf(t, passage))}
<p class="preview-foot">
<a class="button quiet" href="${readHref(ref)}">${t.answers.open}<span class="sr"> ${name}</span></a></p>`
}

/** A work: its names, its author, and its versions with their licences. */
export function workPreview(t: Texts, work: Work, versions: readonly VersionFacts[]): Html {
  const { title, heTitle, author, categories } = work
  const names = { en: title, he: heTitle }
  const facts = [authorName(t, author), categories.map(t.library.categoryName).join(' › ')].filter(
    (fact) => fact !== '',
  )
  return html`${head(t, names)}
${facts.map((fact) => html`<p dir="auto">${fact}</p>`)}
${versions.slice(0, maxVersions).map((version) => html`<p class="faint" dir="auto">${versionLine(t, version)}</p>`)}
<p class="preview-foot">
<a class="button quiet" href="${workHref(title)}">${t.answers.open}<span class="sr"> ${nameIn(t, names)}</span></a></p>`
}

/** Both names, that in the language of the page first. */
function head(t: Texts, names: Names): Html {
  const { en, he } = names
  const name = nameIn(t, names)
  const hebrew = he === '' || he === en ? nothing : html`<span lang="he" dir="rtl">${he}</span>`
  const other = name === en ? hebrew : html`<bdi class="other-name">${en}</bdi>`
  return html`<p class="row preview-head" data-label="${t.answers.preview(name)}"><b dir="auto">${name}</b>
${other}</p>`
}

type Line = Pick<VersionFacts, 'language' | 'title' | 'license'>

function versionLine(t: Texts, { language, title, license }: Line): string {
  const licence = license === '' ? '' : t.answers.licence(license)
  return joined([t.languageName(language), t.library.versionName(title), licence])
}

/** The first passage in Hebrew, and the first one in English or another language. */
function firstOfEach(passages: readonly Passage[]): readonly Passage[] {
  const hebrew = passages.find(({ language }) => language === 'he')
  const other =
    passages.find(({ language }) => language === 'en') ?? passages.find(({ language }) => language !== 'he')
  return [hebrew, other].filter((passage) => passage !== undefined)
}

function textOf(t: Texts, passage: Passage): Html {
  const { language, text, version } = passage
  return html`<p class="text" lang="${language}" dir="${directionOf(language)}">${excerptOf(text, [], maxText).text}</p>
<p class="faint" dir="auto">${versionLine(t, { ...passage, title: version })}</p>`
}
