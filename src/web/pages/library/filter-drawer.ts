import { type Html, html, nothing } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'

/** Lists to choose from: beside the results on wide windows; on others a drawer, which its button opens. */
export function filterDrawer({ library }: Texts, lists: Html): Html {
  if (lists === nothing) return nothing
  return html`<button type="button" class="quiet shelf-button" popovertarget="shelves">${library.filter}</button>
<div class="drawer shelf-drawer" id="shelves" popover>${lists}</div>`
}
