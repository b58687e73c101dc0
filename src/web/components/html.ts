import { html as template } from 'hono/html'

/** Markup that is safe to send: everything that was put into it as text has been escaped. */
export type Html = ReturnType<typeof template>

/**
 * Tagged template for markup. Strings and numbers that are put in are escaped, markup and arrays of it are taken over,
 * and `undefined`, `null` and `false` leave nothing. Attribute values must stand in double quotes.
 */
export const html: (strings: TemplateStringsArray, ...values: readonly unknown[]) => Html = template

/** Nothing. */
export const nothing: Html = html``
