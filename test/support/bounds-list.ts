import { type Bound, sizeOf } from '../../src/http/limits/bounds.ts'

/** The bounds as a list of the documents. */
export function boundsList(bounds: Readonly<Record<string, Bound>>): string {
  return Object.values(bounds)
    .map((bound) => `- ${bound.what}: ${sizeOf(bound)}`)
    .join('\n')
}
