import { type Html, html, nothing } from '../../components/html.ts'

/** Where the sign-in leads, as a hidden field; nothing without it. */
export function nextField({ next }: { readonly next?: string | undefined }): Html {
  return next ? html`<input type="hidden" name="next" value="${next}">` : nothing
}
