import { expect, test } from 'vitest'
import { permissionQuestion, planLines } from '../../../src/commands/imports/collection-lines.ts'
import { findCollection } from '../../../src/sources/collections/collections.ts'
import { planCollection } from '../../../src/sources/collections/plan.ts'
import { needsPermission, surveyPlan } from '../../../src/sources/collections/survey.ts'
import type { ExportSource } from '../../../src/sources/importers/sefaria/export-source.ts'

/** An export with one work, whose files begin with these texts. */
async function surveyOf(...beginnings: readonly string[]) {
  const source: ExportSource = {
    entries: beginnings.map((text, i) => ({
      ...{ id: String(i), title: 'Tanya', categories: [], name: String(i), location: text },
    })),
    merged: 0,
    read: () => Promise.reject(new Error('not read')),
    head: ({ location }) => Promise.resolve({ bytes: location.length, text: location }),
    schema: () => Promise.resolve(undefined),
    links: () => [],
  }
  const plan = planCollection(findCollection('tanya'), source)
  return { plan, survey: await surveyPlan(source, plan) }
}

const stating = (license: unknown) => JSON.stringify({ title: 'Tanya', license, text: ['a'] })

test('a claim that a text is one’s own needs permission, as the import demands', async () => {
  for (const claim of ['own', 'Own', ' OWN ']) {
    const { survey } = await surveyOf(stating(claim))
    expect(survey.licenses, claim).toEqual([{ license: 'unknown', kind: 'unknown', files: 1 }])
    expect(needsPermission(survey, []), claim).toEqual(['unknown'])
  }
})

test('a licence is read with its escapes, and one that is no text is unknown', async () => {
  const escaped = '{"license":"CC\\u002dBY \\"4\\"","text":['
  const { survey } = await surveyOf(escaped, stating(['CC0']), stating(null))
  expect(survey.licenses).toEqual([
    { license: 'unknown', kind: 'unknown', files: 2 },
    { license: 'CC-BY "4"', kind: 'unknown', files: 1 },
  ])
})

test('a licence that stands behind the beginning of a file is asked for', async () => {
  const { plan, survey } = await surveyOf(
    stating('CC0'),
    `{"title":"Tanya","versionNotes":"${'x'.repeat(50)}`,
  )
  expect(survey.unseen).toBe(1)
  expect(needsPermission(survey, [])).toEqual(['cc-by-nc', 'unknown'])
  expect(needsPermission(survey, ['cc-by-nc', 'unknown'])).toEqual([])
  expect(permissionQuestion(survey, needsPermission(survey, []))).toContain(
    'These files need permission: 1 whose licence is not known yet.',
  )
  expect(planLines(plan, survey, 'here', []).join('\n')).toContain('not known yet: 1 file (')
})

test('free licences alone need no permission', async () => {
  const { survey } = await surveyOf(stating('CC0'), stating('Public Domain'), stating('CC BY-SA 4.0'))
  expect(needsPermission(survey, [])).toEqual([])
})
