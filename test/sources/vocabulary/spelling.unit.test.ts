import { describe, expect, it } from 'vitest'
import { groupsOfWord } from '../../../src/sources/vocabulary/lookup.ts'
import { titlesOfAcronym } from '../../../src/sources/vocabulary/spelling/acronyms.ts'
import { fullNames, slipsOf, soundAlikes } from '../../../src/sources/vocabulary/spelling/known-words.ts'
import { latinVariants } from '../../../src/sources/vocabulary/spelling/latin-variants.ts'
import { oneLetterOff } from '../../../src/sources/vocabulary/spelling/one-letter.ts'

/** Ids of the names that sound most like a word. */
function names(written: string): readonly string[] {
  const alike = soundAlikes(written).filter(({ isName }) => isName)
  return alike.flatMap(({ term }) => groupsOfWord(term).map(({ id }) => id))
}

describe('a word in another transliteration', () => {
  it.each([
    ['tfiloh', 'tefillah'],
    ['tshive', 'teshuvah'],
    ['szechina', 'shechinah'],
    ['cadyk', 'tzaddik'],
    ['kawana', 'kavanah'],
    ['tsadikem', 'tzaddik'],
    ['hiskashres', 'hitkashrut'],
    ['hitlahabut', 'hitlahavut'],
  ])('%s is read as "%s"', (written, id) => {
    expect(names(written)).toContain(id)
  })

  it.each(['karma', 'sultan', 'tunic', 'marathon', 'hummus', 'machine', 'chomsky', 'sofer', 'jonathan'])(
    '%s is read as no other word',
    (written) => {
      expect(names(written)).toEqual([])
    },
  )
})

describe('a town in Yiddish letters', () => {
  it.each([
    ['מעזביזש', 'medzhybizh'],
    ['איזביצע', 'izhbitz'],
    ['פשיסכע', 'peshischa'],
    ['קאצק', 'kotzk'],
  ])('%s is read as "%s"', (written, id) => {
    expect([...names(written), ...groupsOfWord(written).map((group) => group.id)]).toContain(id)
  })

  it('is not looked for when a word has no Yiddish letters', () => {
    expect(soundAlikes('ברסלנ')).toEqual([])
  })
})

describe('a word with one wrong letter', () => {
  const meant = (written: string) => slipsOf(written).map(({ term }) => term)

  it.each([
    ['humilty', 'humil'],
    ['prayre', 'prayer'],
    ['contempaltion', 'contempl'],
    ['tayna', 'tanya'],
    ['תשוהב', 'תשובה'],
    ['מתנדגימ', 'מתנגדימ'],
  ])('%s is read as "%s"', (written, term) => {
    expect(meant(written).map((one) => one.slice(0, term.length))).toContain(term)
  })

  it.each(['gravel', 'farme', 'banking', 'dreamy', 'strainer', 'לשולי'])(
    '%s is read as no other word',
    (written) => {
      expect(meant(written)).toEqual([])
    },
  )

  it('keeps its first letter, and its last one unless that is out of place or twice there', () => {
    const others = oneLetterOff('gravel')
    expect([...others].every((one) => one.startsWith('g'))).toBe(true)
    expect(others).not.toContain('grave')
    expect(others).not.toContain('gravels')
    expect(oneLetterOff('gravell')).toContain('gravel')
    expect(others).toContain('gravle')
  })

  it('may have a Hebrew letter for one that sounds the same, also at its ends', () => {
    expect(oneLetterOff('עצבוט')).toContain('עצבות')
    expect(oneLetterOff('טאווה')).toContain('תאווה')
    expect(oneLetterOff('עצבול')).not.toContain('עצבות')
  })
})

describe('an acronym', () => {
  const titles = (letters: string) => titlesOfAcronym(letters).map(({ names: [first] }) => first)

  it('is read as the one book whose title begins with its letters', () => {
    expect(titles('קדל')).toEqual(['Kedushat Levi'])
    expect(titles('נועאל')).toEqual(['Noam Elimelech'])
    expect(titles('בנועאל')).toEqual(['Noam Elimelech'])
  })

  it('is read as no book when several titles fit, or none', () => {
    expect(titles('לת')).toEqual([])
    expect(titles('לקת')).toEqual([])
    expect(titles('צהל')).toEqual([])
  })
})

it('a pet name is read as the given name', () => {
  expect(fullNames('borukhl').map(({ term }) => term)).toContain('boruch')
  expect(fullNames('נחמנקע').map(({ term }) => term)).toContain('נחמנ')
  expect(fullNames('zusha')).toEqual([])
})

it('the variants of a long word with every ambiguous letter are bounded', () => {
  expect(latinVariants('czechtszschkhwjbtsces').size).toBeLessThanOrEqual(128)
  expect(latinVariants('yires')).toContain('yirat')
})
