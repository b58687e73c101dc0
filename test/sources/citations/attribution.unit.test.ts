import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readAttributions } from '../../../src/sources/citations/attribution/attribution.ts'
import { Doc } from '../../../src/sources/citations/quotations/doc.ts'
import { findQuotations } from '../../../src/sources/citations/quotations/quotes.ts'
import { times } from '../../support/full.ts'
import { textsWithRefs } from '../../support/texts-with-refs.ts'

it('a text has the same quotations with and without the test for their signs', async () => {
  let quoting = 0
  await fc.assert(
    fc.asyncProperty(textsWithRefs, async (text) => {
      // A mark is no part of a quotation, and only one of the two looks for marks.
      fc.pre(!text.includes('[S'))
      const { quotations } = findQuotations(text, [])
      quoting += quotations.length > 0 ? 1 : 0
      expect((await readAttributions(new Doc(text), undefined, {})).quotations).toEqual(quotations)
    }),
    { numRuns: times(1_000, 5_000) },
  )
  expect(quoting).toBeGreaterThan(times(20, 100))
})
