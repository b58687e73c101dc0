import { describe, expect, it } from 'vitest'
import {
  type AlignedTerms,
  AlignedTexts,
  alignedTerms,
} from '../../../src/sources/associations/aligned-words.ts'
import { learnAssociations, logLikelihoodRatio } from '../../../src/sources/associations/association-model.ts'

/** Passages whose words are numbers, the same in both languages: en12 stands wherever he12 does. */
function passages(count: number, words: number): AlignedTexts {
  const texts = Array.from({ length: count }, (_, i) => {
    const numbers = new Set(Array.from({ length: words }, (_, k) => (i * 31 + k * k * 7) % 997))
    return { en: [...numbers].map((n) => `en${n}`), he: [...numbers].map((n) => `he${n}`) }
  })
  return aligned(texts)
}

function aligned(texts: readonly AlignedTerms[]): AlignedTexts {
  const all = new AlignedTexts()
  for (const text of texts) all.add(text)
  return all
}

describe('logLikelihoodRatio', () => {
  it('is what Dunning gives for "the swiss"', () => {
    expect(logLikelihoodRatio(110, 2442, 111, 29_114)).toBeCloseTo(270.72, 1)
  })

  it('is nothing for words that stand together as often as by chance', () => {
    expect(logLikelihoodRatio(10, 90, 90, 810)).toBeCloseTo(0, 6)
  })
})

describe('learnAssociations', () => {
  it('pairs the words that stand together', async () => {
    const learned = await learnAssociations(passages(400, 20))
    expect(learned.length).toBeGreaterThan(500)
    const right = learned.filter(({ en, he }) => en.slice(2) === he.slice(2))
    expect(right.length / learned.length).toBeGreaterThan(0.9)
  })

  it('pairs a Hebrew word under the form without its prefix', async () => {
    const he = ['בזמרגד', 'והזמרגד', 'זמרגד', 'הזמרגד', 'לזמרגד', 'זמרגד']
    const texts = Array.from({ length: 30 }, (_, i) =>
      i < he.length
        ? alignedTerms(`${he[i]} מילה${i}`, `emerald word${i}`)
        : alignedTerms(`אחר${i}`, `other${i}`),
    )
    expect(await learnAssociations(aligned(texts))).toContainEqual(
      expect.objectContaining({ en: 'emerald', he: 'זמרגד' }),
    )
  })

  it('has no pair that few passages show', async () => {
    const texts = Array.from({ length: 20 }, (_, i) => alignedTerms(`מילה${i >> 1}`, `word${i >> 1}`))
    expect(await learnAssociations(aligned(texts))).toEqual([])
  })

  it('lets the event loop turn while it learns', async () => {
    let turns = 0
    let next = setImmediate(function count() {
      turns += 1
      next = setImmediate(count)
    })
    await learnAssociations(passages(4_000, 40))
    clearImmediate(next)
    expect(turns).toBeGreaterThan(5)
  })

  it('stops when it is asked to', async () => {
    const stopped = AbortSignal.abort(new Error('stopped'))
    await expect(learnAssociations(passages(50, 10), stopped)).rejects.toThrow('stopped')
  })
})
