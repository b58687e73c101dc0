import type { OwnMarks } from '../../../../reader-marks/marks.ts'
import type { Passage } from '../../../../sources/library/types.ts'
import { copyButton } from '../../../components/fields.ts'
import { type Html, html, nothing } from '../../../components/html.ts'
import { passageHref, withQuery } from '../../../components/library-links.ts'
import { nameIn } from '../../../components/names.ts'
import { directionOf, markedText } from '../../../components/texts.ts'
import type { Texts } from '../../../texts/catalogue.ts'
import { addToSheetLink } from '../../sheets/add-link.ts'
import type { Quoted } from './reader-sides.ts'
import { withoutPoints } from './reading-settings.ts'
import type { ShortRef } from './short-ref.ts'

export type Segment = {
  readonly ref: string
  readonly id: string
  readonly heRef: string
  /** Both names, without what the heading of the page says. */
  readonly short: { readonly en: ShortRef; readonly he: ShortRef }
  readonly texts: readonly Passage[]
  /** Number of linked places. */
  readonly links: number
  readonly marks: OwnMarks
}

type Looks = {
  readonly isMarked: boolean
  readonly quoted: Quoted | undefined
  readonly hasPoints: boolean
}

/** A passage with its ref, its tools, and its texts. */
export function segmentView(t: Texts, segment: Segment, { isMarked, quoted, hasPoints }: Looks): Html {
  const { ref, id, texts, marks } = segment
  const name = nameOf(t, segment)
  return html`<section class="segment${isMarked ? ' here' : ''}" id="${id}" aria-label="${name}" data-ref="${ref}">
${refLine(t, segment)}<div class="columns">${texts.map((passage) => textColumn(passage, quoted, hasPoints))}</div>
${ownNote(t, marks)}</section>`
}

function nameOf(t: Texts, { ref, heRef }: Segment): string {
  return nameIn(t, { en: ref, he: heRef })
}

function ownNote(t: Texts, { note }: OwnMarks): Html {
  if (note === '') return nothing
  return html`<p class="own-note" dir="auto"><span class="faint">${t.reader.note}:</span> <bdi>${note}</bdi></p>`
}

function refLine(t: Texts, segment: Segment): Html {
  const { ref, id, heRef, short, marks } = segment
  const name = nameOf(t, segment)
  const isEnglish = name === ref
  const other = isEnglish
    ? html`<span class="he-ref" lang="he" dir="rtl">${shortRef(short.he)}</span>`
    : html`<span class="other-name" dir="auto">${shortRef(short.en)}</span>`
  return html`<div class="row ref-line"><span class="ref-name">${marks.isBookmarked ? bookmarkSign(t) : nothing}
<span class="own-ref" id="${id}-ref" dir="auto"
title="${name}">${shortRef(isEnglish ? short.en : short.he)}</span></span>
<span class="segment-tools" dir="${t.direction}">${moreLink(t, segment)}
${copyButton(t, `${id}-ref`, t.answers.copyRefOf(name))}
${addToSheetLink(t, { ref, name, versions: versionsOf(segment) })}</span>
${heRef ? other : nothing}</div>`
}

/** Screen readers and copies have the whole ref; the page shows what its heading does not say. */
function shortRef({ known, shown }: ShortRef): Html {
  return html`${known === '' ? nothing : html`<span class="sr">${known}</span>`}${shown}`
}

function bookmarkSign(t: Texts): Html {
  return html`<span class="bookmarked" role="img" aria-label="${t.reader.bookmarked}">★</span> `
}

function versionsOf({ texts }: Segment) {
  const title = (language: string) => texts.find((passage) => passage.language === language)?.version
  return { he: title('he'), en: title('en') }
}

/** Opens beside the text with scripts, and as a page without. */
function moreLink(t: Texts, segment: Segment): Html {
  const { ref, links } = segment
  const shown = links > 0 ? t.reader.links(links) : t.reader.more
  const look = `button quiet small${links > 0 ? ' has-links' : ''}`
  return html`<a class="${look}" href="${passageHref(ref)}" data-passage
aria-label="${shown}: ${nameOf(t, segment)}">${shown}</a>`
}

/** Leads to the box for questions, with a question about a place of the library. */
export function askLink({ answers }: Texts, name: string): Html {
  const href = withQuery('/ask', { question: answers.aboutQuestion(name) })
  return html`<a class="button quiet" href="${href}" aria-label="${answers.askAboutRef(name)}">${answers.askAbout}</a>`
}

export function textColumn(passage: Passage, quoted: Quoted | undefined, hasPoints: boolean): Html {
  const { language } = passage
  const spans = quoted?.passage === passage ? [quoted] : []
  const shown =
    language === 'he' && !hasPoints ? withoutPoints(passage.text, spans) : { text: passage.text, spans }
  const marked = markedText(shown.text, shown.spans)
  return html`<div class="text" lang="${language}" dir="${directionOf(language)}">${marked}</div>`
}
