import { expect, test } from 'vitest'
import { useWorld } from '../../support/world/world.ts'

const world = useWorld({ library: 'starter' })

type Explained = {
  readonly data: readonly {
    readonly ref: string
    readonly explanation?: {
      readonly terms: readonly { readonly word: string; readonly found: readonly string[] }[]
      readonly signals: Readonly<Record<string, number>>
      readonly rules: readonly { readonly rule: string; readonly rank: number }[]
      readonly floor: Readonly<Record<string, number>>
    }
  }[]
}

test('a search that asks for it tells which terms, signals and rules made the rank, and what the floor weighed', async () => {
  const { data } = await world.get<Explained>('/v1/sources/search?q=humility&explain=true')
  const { terms = [], signals = {}, rules = [], floor = {} } = data[0]?.explanation ?? {}
  expect(terms.find(({ word }) => word === 'humility')?.found).toContain('anavah')
  expect(signals['bm25']).toBeGreaterThan(0)
  expect(rules[0]?.rule).toBe('words')
  expect(Object.values(floor).some((part) => part > 0)).toBe(true)
  const { data: plain } = await world.get<Explained>('/v1/sources/search?q=humility')
  expect(plain.map((hit) => 'explanation' in hit)).toEqual(data.map(() => false))
})
