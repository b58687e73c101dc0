import { readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { withTx } from '../../src/db/client.ts'
import { findMissing, findRanges } from '../../src/evaluation/questions/library-refs.ts'
import { expectedRefs, type Question } from '../../src/evaluation/questions/question.ts'
import { readQuestions } from '../../src/evaluation/questions/read-questions.ts'
import { useWorld } from '../support/world/world.ts'

let questions: readonly Question[]

const world = useWorld({ replicas: 0, library: 'starter' })
beforeAll(async () => {
  questions = readQuestions(await readFile('examples/eval/questions.jsonl', 'utf8'))
})

/** The parts of the Tanya in the publisher's naming, with their numbers of chapters. */
const tanya: Readonly<Record<string, number>> = {
  'Tanya, Part I; Likkutei Amarim': 53,
  'Tanya, Part II; Shaar HaYichud VehaEmunah': 12,
  'Tanya, Part III; Iggeret HaTeshuvah': 12,
  'Tanya, Part IV; Iggeret HaKodesh': 32,
}

function isOfTanya(ref: string): boolean {
  const [, part = '', chapter] = /^(.+) (\d+)$/.exec(ref) ?? []
  return Number(chapter) >= 1 && Number(chapter) <= (tanya[part] ?? 0)
}

test('the shipped questions are fifty in each language', () => {
  const count = (language: string) => questions.filter((question) => question.language === language).length
  expect([questions.length, count('en'), count('he')]).toEqual([100, 50, 50])
})

test('every ref of the shipped questions is in the starter library or in the Tanya', async () => {
  const refs = questions.flatMap((question) => [...expectedRefs(question), ...question.forbidden])
  const ranges = await withTx(world.db.database, 'system', (tx) => findRanges(tx, refs))
  expect(refs.filter((ref) => !ranges.has(ref) && !isOfTanya(ref))).toEqual([])
})

test('only questions about the Tanya are not applicable to the starter library', async () => {
  const missing = await withTx(world.db.database, 'system', (tx) => findMissing(tx, questions))
  const ofTanya = questions.filter(({ needs }) => needs.includes('Tanya')).map(({ id }) => id)
  expect([...missing.keys()]).toEqual(ofTanya)
  expect(ofTanya).toHaveLength(20)
})
