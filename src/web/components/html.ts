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
