import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCsvLine } from '../../../src/sources/importers/sefaria/format/csv.ts'
import {
  readNode,
  readSchemaFile,
  type SchemaNode,
} from '../../../src/sources/importers/sefaria/format/schema.ts'
import { placedSegments } from '../../../src/sources/importers/sefaria/format/walk.ts'
import { endsOf } from '../../../src/sources/importers/sefaria/links.ts'
import { address, hebrewAddress, numberAt } from '../../../src/sources/library/address.ts'
import { formatRef, hebrewHeadingOf, parseRef, refReadings } from '../../../src/sources/refs/grammar/refs.ts'
import { sampleExport } from '../../support/fake-sefaria.ts'
import { times } from '../../support/full.ts'

const node = (value: object): SchemaNode => {
  const read = readNode(value)
  if (!read) throw new Error('not a node')
  return read
}
const refs = (root: SchemaNode, text: unknown) => placedSegments(root, text).map(({ place }) => place.ref)
const schemaOf = (title: string) => {
  const schema = readSchemaFile(sampleExport[`schemas/${title}.json`])
  if (!schema) throw new Error('no schema')
  return schema
}

test.each([
  ['Talmud', 3, '2a', 'ב׳ א'],
  ['Talmud', 4, '2b', 'ב׳ ב'],
  ['Talmud', 29, '15a', 'ט״ו א'],
  ['Folio', 5, '2a', 'ב׳ א'],
  ['Folio', 8, '2d', 'ב׳ ד'],
  ['Integer', 272, '272', 'ער״ב'],
  ['Integer', 1000, '1000', 'תת״ר'],
  ['Integer', 1116, '1116', 'תתשט״ז'],
  ['Integer', 2104, '2104', 'ב׳ק״ד'],
  ['Integer', 3000, '3000', 'ג׳אלפים'],
] as const)('%s section %i is %s', (type, n, english, hebrew) => {
  expect([address(type, n), hebrewAddress(type, n)]).toEqual([english, hebrew])
})

test('numbering that does not begin at 1 is taken from the offsets', () => {
  expect(numberAt({ 1: 30 }, [0])).toBe(31)
  expect(numberAt({ 2: [0, 12] }, [1, 0])).toBe(13)
  expect(numberAt(undefined, [1, 0])).toBe(1)
})

test('empty places are left out and the numbering stays', () => {
  const root = node({ title: 'Lamp', sectionNames: ['Chapter', 'Paragraph'] })
  expect(refs(root, [[], ['', ' ', 'x'], '', ['y', null, 'z']])).toEqual(['Lamp 2:3', 'Lamp 4:1', 'Lamp 4:3'])
  expect(refs(root, [[], ['', ''], [[], '']])).toEqual([])
})

test('a default node adds nothing to refs', () => {
  const placed = placedSegments(schemaOf('Gates_of_Song').root, {
    '': [[['a']]],
    Introduction: ['b'],
    'Part II': { '': [[[], ['c']]], Letters: [['d']] },
  })
  const places = placed.map(({ place: { ref, heRef, sectionRef } }) => [ref, heRef, sectionRef])
  expect(places).toEqual([
    ['Gates of Song, Introduction 1', 'שערי זמר, הקדמה א׳', 'Gates of Song, Introduction'],
    ['Gates of Song 1:1:1', 'שערי זמר א׳:א׳:א׳', 'Gates of Song 1:1'],
    [
      'Gates of Song, Part II, Letters 1:1',
      'שערי זמר, תנינא, מכתבים א׳:א׳',
      'Gates of Song, Part II, Letters 1',
    ],
    ['Gates of Song, Part II 1:2:1', 'שערי זמר, תנינא א׳:ב׳:א׳', 'Gates of Song, Part II 1:2'],
  ])
})

test('leaves of Talmud and folio have their own addresses', () => {
  const window = ['2a:1', '2a:2', '2b:1'].map((at) => `Tractate Window ${at}`)
  expect(refs(schemaOf('Tractate_Window').root, [[], [], ['a', 'b'], ['c']])).toEqual(window)
  expect(refs(schemaOf('Columns').root, [[], [], [], [], [], [], ['x']])).toEqual(['Columns 2c:1'])
})

test('without a schema only a level named Daf counts sides of leaves', () => {
  const first = (level: string) =>
    refs(node({ title: 'Gloss', sectionNames: [level, 'Line'] }), [[], [], ['x']])
  expect([...first('Daf'), ...first('Page')]).toEqual(['Gloss 2a:1', 'Gloss 3:1'])
})

test('a text that is nested 60 levels deep is read once for each level, not 2^60 times', () => {
  const deep = Array.from({ length: 60 }).reduce<unknown>((inner) => [inner], 'words')
  expect(placedSegments(node({ title: 'Deep' }), deep)).toMatchObject([{ html: 'words' }])
})

test('without a schema the nesting tells the depth, and unknown parts come last', () => {
  const root = node({ enTitle: 'Book', heTitle: 'ספר', nodes: [{ enTitle: 'Known', heTitle: 'ידוע' }] })
  const placed = placedSegments(root, { New: [['', 'x']], Known: ['y'] })
  expect(placed.map(({ place }) => [place.ref, place.heRef])).toEqual([
    ['Book, Known 1', 'ספר, ידוע א׳'],
    ['Book, New 1:2', ''],
  ])
})

test('a text above or below its level keeps a place of its own', () => {
  const root = node({ title: 'Lamp', sectionNames: ['Chapter', 'Paragraph'] })
  expect(refs(root, ['x', [['y', 'z']]])).toEqual(['Lamp 1:1', 'Lamp 2:1:1', 'Lamp 2:1:2'])
})

const addressTypes = ['Integer', 'Perek', 'Seif', 'Talmud', 'Folio'] as const
const isLeaf = (type: string) => type === 'Talmud' || type === 'Folio'
/** No book has leaves within leaves. */
const levels = fc
  .array(fc.tuple(fc.constantFrom(...addressTypes), fc.integer({ min: 1, max: 1_300 })), {
    minLength: 1,
    maxLength: 3,
  })
  .filter((of) => of.filter(([type]) => isLeaf(type)).length <= 1)
/** The text that has one segment, at this place. */
function segmentAt(numbers: readonly number[]): unknown {
  const [first = 1, ...rest] = numbers
  const before = new Array<unknown>(first - 1).fill(rest.length > 0 ? [] : '')
  return [...before, rest.length > 0 ? segmentAt(rest) : 'x']
}
const placeOf = (heTitle: string, of: readonly (readonly [string, number])[]) => {
  const types = of.map(([type]) => type)
  const root = node({ title: 'Book', heTitle, depth: of.length, addressTypes: types })
  const place = placedSegments(root, segmentAt(of.map(([, n]) => n)))[0]?.place
  if (!place) throw new Error('no place')
  return place
}

test('the Hebrew ref of any place is read as the same numbers', () => {
  fc.assert(
    fc.property(levels, (of) => {
      const { ref, heRef } = placeOf('ליקוטי מוהר״ן', of)
      expect([heRef, formatRef({ ...parseRef(heRef), heading: 'Book' })]).toEqual([heRef, ref])
    }),
    { numRuns: times(100, 300) },
  )
})

test('so is a range of them', () => {
  fc.assert(
    fc.property(levels, fc.integer({ min: 1, max: 1_300 }), (of, n) => {
      const first = placeOf('ברכות', of)
      const last = placeOf('ברכות', [...of.slice(0, -1), [of.at(-1)?.[0] ?? 'Integer', n]])
      const numbersOf = (ref: string) => ref.slice(ref.indexOf(' ') + 1)
      const parsed = parseRef(`${first.heRef}-${numbersOf(last.heRef)}`)
      expect([parsed.address.join(':'), parsed.until?.join(':')]).toEqual([
        numbersOf(first.ref),
        numbersOf(last.ref),
      ])
    }),
    { numRuns: 100 },
  )
})

test.each(['ספר, חלק א', 'ספר, חלק ב׳', 'תורת הבעש״ט', 'ספר ב׳ א', 'א'])(
  'the Hebrew heading %s is told from the numbers after it',
  (heTitle) => {
    fc.assert(
      fc.property(levels, (of) => {
        const place = placeOf(heTitle, of)
        expect(hebrewHeadingOf(place)).toBe(heTitle)
        const readings = refReadings(place.heRef).map((reading) => reading.address.join(':'))
        expect(readings).toContain(place.ref.slice('Book '.length))
      }),
      { numRuns: 50 },
    )
    expect(hebrewHeadingOf({ ref: 'Book, Part A', heRef: heTitle })).toBe(heTitle)
  },
)

test('ranges name only what differs at their end', () => {
  expect(endsOf('Genesis 1:1-2')).toEqual({ first: 'Genesis 1:1', last: 'Genesis 1:2' })
  expect(endsOf('Exodus 1:1-6:1')).toEqual({ first: 'Exodus 1:1', last: 'Exodus 6:1' })
  expect(endsOf('Berakhot 2a-3b')).toEqual({ first: 'Berakhot 2a', last: 'Berakhot 3b' })
  expect(endsOf('Jewish Self-Help 3')).toEqual({ first: 'Jewish Self-Help 3', last: 'Jewish Self-Help 3' })
})

test('quoted fields of CSV may hold commas and quotes', () => {
  expect(parseCsvLine('"Tanya, Part I 1:1",b,,"say ""x"""')).toEqual([
    'Tanya, Part I 1:1',
    'b',
    '',
    'say "x"',
  ])
})
