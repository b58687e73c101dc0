import { type Html, html } from './html.ts'

/** A name and its value. */
export type Fact = readonly [name: string, value: unknown]

/** Names with their values, side by side. Entries that are `false` are left out. */
export function factList(facts: readonly (Fact | false)[], variant: 'plain' | 'sums' = 'plain'): Html {
  const shown = facts.filter((fact) => fact !== false)
  return html`<dl class="facts ${variant}">
${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}
