import { type Html, html, nothing } from '../components/html.ts'
import type { Texts } from '../texts/catalogue.ts'
import type { KeptForm } from './kept-form.ts'

/** A refused form with what was written in it. Only the person sends it, by its button. */
export function keptFormView(t: Texts, form: KeptForm): Html {
  const { errors } = t
  return html`<section class="card kept"><h2>${errors.kept}</h2><p>${errors.keptHint}</p>
<form method="post" action="${form.action}">${fieldsOf(t, form)}
<button>${errors.send}</button></form></section>`
}

/** What was written in a form that can no longer be sent, because what it belongs to is not there. */
export function keptTextView(t: Texts, form: KeptForm): Html {
  const { errors } = t
  return html`<section class="card kept"><h2>${errors.kept}</h2><p>${errors.keptToCopy}</p>
${fieldsOf(t, { ...form, fields: form.fields.filter(([name]) => form.written.test(name)) })}</section>`
}

/** The written fields to read and change, the others hidden. */
function fieldsOf(t: Texts, { fields, written }: KeptForm): readonly Html[] {
  const counts = new Map<string, number>()
  return fields.map(([name, value]) => {
    if (!written.test(name)) return html`<input type="hidden" name="${name}" value="${value}">`
    const kind = name.replace(/-.*/s, '')
    if (value.trim() === '' && kind !== name)
      return html`<input type="hidden" name="${name}" value="${value}">`
    const number = (counts.get(kind) ?? 0) + 1
    counts.set(kind, number)
    return writtenField(
      `${t.errors.fields[kind] ?? kind}${number > 1 ? ` ${number}` : ''}`,
      kind,
      name,
      value,
    )
  })
}

const ofOneLine: ReadonlySet<string> = new Set(['amount', 'email', 'heading', 'name', 'ref', 'title'])

function writtenField(label: string, kind: string, name: string, value: string): Html {
  if (ofOneLine.has(kind))
    return html`<label>${label} <input name="${name}" value="${value}" dir="auto" autocomplete="off"></label>`
  const rows = Math.min(12, Math.max(3, Math.ceil(value.length / 80)))
  return html`<label>${label} <textarea name="${name}" dir="auto" rows="${rows}">${value}</textarea></label>`
}

/** The form as a hidden field of the form to sign in; nothing without one. */
export function carriedField(text: string | undefined): Html {
  return text === undefined ? nothing : html`<input type="hidden" name="kept" value="${text}">`
}
