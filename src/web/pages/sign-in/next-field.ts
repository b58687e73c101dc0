import { type Html, html, nothing } from '../../components/html.ts'
import { notice } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'

/** Where the sign-in leads, as a hidden field; nothing without it. */
export function nextField({ next }: { readonly next?: string | undefined }): Html {
  return next ? html`<input type="hidden" name="next" value="${next}">` : nothing
}

/** What a visitor has asked before the sign-in: `/ask` with a question, and with nothing else. */
export function questionOf(next: string | undefined): string | undefined {
  const [path, query = ''] = (next ?? '').split('?')
  const fields = new URLSearchParams(query)
  const question = fields.get('question')?.trim()
  return path === '/ask' && fields.size === 1 && question ? question : undefined
}

/** Says that the question is sent with the sign-in, and shows it; nothing without one. */
export function questionNote({ account }: Texts, { next }: { readonly next?: string | undefined }): Html {
  const question = questionOf(next)
  return question === undefined ? nothing : notice('note', account.askedNext(question))
}
