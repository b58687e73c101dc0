import type { ReadEntry } from '../../../sheets/content.ts'
import { type PassageEntry, sheetLimits } from '../../../sheets/entries.ts'
import type { StoredSheet } from '../../../sheets/store.ts'
import { confirmDialog, copyField, selectField } from '../../components/fields.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { readHref } from '../../components/library-links.ts'
import { namedLink, nameIn } from '../../components/names.ts'
import { emptyState, notice, outcomeNotice, type Page } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { sheetBar } from './sheet-bar.ts'
import { replacedNote, sourceTexts } from './source-view.ts'

export type Editor = {
  readonly sheet: StoredSheet
  readonly entries: readonly ReadEntry[]
  /** URL of the public page; undefined without one. */
  /** Undefined without a public link; without `url` if its address cannot be shown again. */
  readonly publicLink: { readonly url: string | undefined } | undefined
  readonly done?: string | undefined
  /** Why the last change was refused. */
  readonly problem?: { readonly message: unknown; readonly ref?: string } | undefined
}

/** The editor: one form with the whole sheet, so that it works without scripts. `sheet-editor.js` saves as one goes. */
export function editorPage(t: Texts, { sheet, entries, publicLink, done, problem }: Editor): Page {
  const { id, title, intro } = sheet
  return {
    title,
    section: 'sheets',
    hasSecret: publicLink?.url !== undefined,
    sheets: ['menus', 'sheets', 'sheet'],
    scripts: ['copy.js', 'menus.js', 'sheet-editor.js'],
    main: html`${sheetBar(t, sheet, 'edit')}<h1 class="sr">${t.common.edit}: ${title}</h1>
${outcomeNotice({ done })}${problem ? notice('problem', problem.message) : nothing}
<form class="sheet-editor" method="post" action="/sheets/${id}" data-sheet
data-words="${JSON.stringify(t.sheets.live)}">
<button class="sr" name="action" value="save" tabindex="-1" aria-hidden="true">${t.common.save}</button>
<input class="sheet-title" name="title" required maxlength="${sheetLimits.title}" dir="auto" autocomplete="off"
value="${title}" aria-label="${t.sheets.title}" placeholder="${t.sheets.title}">
<textarea class="sheet-intro" name="intro" rows="1" maxlength="${sheetLimits.intro}" dir="auto"
aria-label="${t.sheets.intro}" placeholder="${t.sheets.introHint}">${intro}</textarea>
<ol class="sheet-entries" aria-label="${t.sheets.entries}">${entries.map((entry) => entryItem(t, entry))}</ol>
${entries.length === 0 ? emptyState(t.sheets.empty, t.sheets.emptyHint) : nothing}
<div class="row sheet-add"><label>${t.sheets.addPassage} <input name="ref" maxlength="${sheetLimits.ref}" dir="auto"
autocomplete="off" value="${problem?.ref ?? ''}" placeholder="${t.sheets.addHint}"></label>
<button name="action" value="add">${t.common.add}</button>
<button class="quiet" name="action" value="note">${t.sheets.addNote}</button></div>
<p class="sheet-save"><button name="action" value="save">${t.common.save}</button></p>
</form>
<div class="sheet-settings">${linkCard(t, id, publicLink)}
${confirmDialog(t, {
  label: t.sheets.deleteSheet,
  question: t.sheets.deleteQuestion,
  action: `/sheets/${id}/delete`,
  confirm: t.sheets.deleteConfirm,
})}</div>`,
  }
}

function entryItem(t: Texts, entry: ReadEntry): Html {
  const name = nameOf(t, entry)
  return html`<li class="sheet-entry ${entry.kind}" id="entry-${entry.id}" data-entry="${entry.id}">
<input type="hidden" name="entry" value="${entry.id}">
<div class="row entry-head"><span class="drag" data-drag aria-hidden="true" hidden></span>${headOf(t, entry)}
<span class="entry-tools">${tool('up', entry.id, t.sheets.up(name), '↑')}
${tool('down', entry.id, t.sheets.down(name), '↓')}
${tool('remove', entry.id, t.sheets.remove(name), t.common.remove)}</span></div>
${bodyOf(t, entry)}
<button class="quiet note-below" name="action" value="note:${entry.id}">${t.sheets.noteBelow}</button></li>`
}

/** What the buttons of an entry call it. */
function nameOf(t: Texts, entry: ReadEntry): string {
  if (entry.kind === 'missing') return entry.entry.ref
  if (entry.kind === 'passage') return nameIn(t, { en: entry.entry.ref, he: entry.source.heRef })
  return entry.text === '' ? t.sheets.nameless : entry.text.slice(0, 40)
}

function tool(action: string, id: string, label: string, shown: string): Html {
  return html`<button class="quiet" name="action" value="${action}:${id}" aria-label="${label}">${shown}</button>`
}

function headOf(t: Texts, entry: ReadEntry): Html {
  if (entry.kind === 'note') return html`<span class="entry-kind">${t.sheets.note}</span>`
  if (entry.kind === 'missing') return html`<bdi class="entry-ref">${entry.entry.ref}</bdi>`
  const { ref, heRef } = entry.source
  return namedLink(t, readHref(entry.entry.ref), { en: ref, he: heRef }, 'entry-ref')
}

function bodyOf(t: Texts, entry: ReadEntry): Html {
  if (entry.kind === 'note') {
    return html`<textarea name="text-${entry.id}" rows="2" maxlength="${sheetLimits.note}" dir="auto"
aria-label="${t.sheets.note}" placeholder="${t.sheets.noteHint}">${entry.text}</textarea>`
  }
  const heading = headingField(t, entry.entry, nameOf(t, entry))
  if (entry.kind === 'missing') {
    return html`${heading}${notice('note', t.sheets.unavailable[entry.problem.kind])}${languageField(t, entry.entry)}`
  }
  return html`${heading}${replacedNote(t, entry)}<div class="entry-texts" tabindex="0" role="region"
aria-label="${t.sheets.textsOf(nameOf(t, entry))}">${sourceTexts(t, entry.source)}</div>
<details class="entry-options"><summary>${t.sheets.options}</summary>
<div class="filters">${languageField(t, entry.entry)}
${versionField(t, entry, 'he', t.reader.hebrewVersion)}
${versionField(t, entry, 'en', t.sheets.englishVersion)}</div></details>`
}

function headingField(t: Texts, { id, heading }: PassageEntry, name: string): Html {
  return html`<input class="entry-heading" name="heading-${id}" maxlength="${sheetLimits.heading}" dir="auto"
autocomplete="off" value="${heading}" aria-label="${t.sheets.heading}: ${name}" placeholder="${t.sheets.headingHint}">`
}

function languageField(t: Texts, { id, languages }: PassageEntry): Html {
  return selectField({
    label: t.search.languages,
    name: `languages-${id}`,
    selected: languages,
    options: (['both', 'he', 'en'] as const).map((value) => ({ value, label: t.sheets[value] })),
  })
}

/** Only if there is a choice. */
function versionField(
  t: Texts,
  { entry, offered }: Extract<ReadEntry, { kind: 'passage' }>,
  language: 'he' | 'en',
  label: string,
): Html {
  const titles = offered[language]
  if (titles.length < 2) return nothing
  const options = titles.map((title) => ({ value: title, label: title }))
  return selectField({
    label,
    name: `${language}-${entry.id}`,
    selected: entry.versions[language],
    options: [{ value: '', label: t.sheets.fullest }, ...options],
  })
}

function linkCard(t: Texts, id: string, link: Editor['publicLink']): Html {
  const address =
    link?.url === undefined
      ? html`<p class="hint">${t.sharing.notShown}</p>`
      : copyField(t, { id: 'public-link', text: link.url, what: t.sharing.link })
  return html`<section class="card narrow-left" id="link"><h2>${t.sharing.link}</h2>
<p>${link ? nothing : t.sheets.linkNone} ${t.sheets.linkAbout}</p>
${link ? address : nothing}
<form method="post" action="/sheets/${id}/${link ? 'unshare' : 'share'}"><button class="quiet">${
    link ? t.sheets.revokeLink : t.sheets.createLink
  }</button></form></section>`
}
