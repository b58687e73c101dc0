import { type Html, html } from '../../components/html.ts'
import { withQuery } from '../../components/library-links.ts'
import type { Texts } from '../../texts/catalogue.ts'

/** A passage to add, with the versions that its reader sees. */
export type AddedPassage = {
  readonly ref: string
  /** The ref in the language of the page; default: `ref`. */
  readonly name?: string
  /** Titles of the versions in Hebrew and English; without one the sheet shows the most complete version. */
  readonly versions?: { readonly he?: string | undefined; readonly en?: string | undefined }
}

/**
 * The button "Add to sheet" of a passage, for any page. It links to `/sheets/add`, where its reader chooses a sheet.
 * With the script `add-to-sheet.js` and the style `menus` on the page, the same form opens in a dialog.
 *
 * The form is sent to `POST /sheets/add` with `ref`, `sheet` (an id, or `new`), `title` (of a new sheet), `he` and `en`
 * (titles of versions; may be missing). With `accept: application/json` the reply is `{sheet, title, href}`; otherwise
 * it redirects to the sheet.
 */
export function addToSheetLink(t: Texts, { ref, name = ref, versions }: AddedPassage): Html {
  const href = withQuery('/sheets/add', { ref, he: versions?.he, en: versions?.en })
  const label = `${t.sheets.addTo}: ${name}`
  return html`<a class="button quiet small add-to-sheet" href="${href}" data-add-to-sheet aria-label="${label}"
>${t.sheets.addTo}</a>`
}
