import { raw as asIs, html as template } from 'hono/html'

/** Safe markup: all text that was inserted into it is escaped. */
export type Html = ReturnType<typeof template>

/**
 * Tagged template for markup. It escapes inserted strings and numbers, inserts markup and arrays of it as
 * they are, and omits `undefined`, `null` and `false`. Attribute values must stand in double quotes.
 */
export const html: (strings: TemplateStringsArray, ...values: readonly unknown[]) => Html = template

/** Markup from text that is trusted: nothing in it is escaped. */
export const trusted: (text: string) => Html = asIs

/** Nothing. */
export const nothing: Html = html``

/** What is there, one after another with a separator. */
export function joined(parts: readonly string[], separator = ' · '): string {
  return parts.filter((part) => part !== '').join(separator)
}

/** A list in a sentence. */
export function listed(items: readonly Html[]): Html {
  return html`${items.map((item, at) => (at === 0 ? item : html`, ${item}`))}`
}

/** Hidden fields of a form; those without a value are left out. */
export function hiddenFields(fields: Readonly<Record<string, string | undefined>>): readonly Html[] {
  return Object.entries(fields).map(([name, value]) =>
    value ? html`<input type="hidden" name="${name}" value="${value}">` : nothing,
  )
}
