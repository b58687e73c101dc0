import { expect, test } from 'vitest'
import { type Token, tokenize } from '../../../src/sources/text/tokens.ts'
import { groupsOfWord, namesAt } from '../../../src/sources/vocabulary/lookup.ts'

/** The first names of what the first words of a text name. */
function named(text: string): readonly string[] {
  const tokens = tokenize(text)
  const names = namesAt(tokens, 0).map(({ group }) => group)
  const groups = names.length > 0 ? names : groupsOfWord((tokens[0] as Token).term)
  return groups.map((group) => group.names[0] ?? '')
}

test.each([
  ['hisboydedus', 'hitbodedut'],
  ['rosho', 'rasha'],
  ['neshomo', 'neshamah'],
  ['emuno', 'emunah'],
  ['dvaykes', 'devekut'],
  ['avodo zoro', 'avodah zarah'],
])('a concept is found as it is pronounced: %s', (spoken, concept) => {
  expect(named(spoken)).toContain(concept)
})

test.each(['content', 'worker', 'reach', 'leader', 'constriction', 'heated', 'battle'])(
  'an English word is not taken for a concept by its sound: %s',
  (word) => {
    expect(named(word)).toEqual([])
  },
)

test.each([
  ['הקוצקער', 'Kotzker Rebbe'],
  ['פינחס קאריצער', 'Pinchas of Koretz'],
  ['נתן פון נעמיראוו', 'Natan of Breslov'],
  ['Pinchas Koretzer', 'Pinchas of Koretz'],
  ['לוי יצחק פון בארדיטשעוו', 'Levi Yitzchak of Berditchev'],
])('a master is found by what Yiddish calls him after his town: %s', (spoken, master) => {
  expect(named(spoken)).toContain(master)
})
