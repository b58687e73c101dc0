import { expect, test } from 'vitest'
import { hebrewAuthor } from '../../../src/sources/library/author-names.ts'

test.each([
  ['Yisrael Hopstein of Kozhnitz', "מגיד מקוז'ניץ"],
  ['Rabbi Elimelech Weisblum of Lizhensk', 'אלימלך מליזנסק'],
  ['Elimelech Weisblum, Lezajsk', 'אלימלך מליזנסק'],
  ['Menachem Nachum Twersky of Tchernobyl', 'מנחם נחום מטשרנוביל'],
  ['Nathan Sternhartz from Nemirov', 'נתן מברסלב'],
])('the author "%s" has a Hebrew name', (author, hebrew) => {
  expect(hebrewAuthor(author)).toBe(hebrew)
})

test('an author who is named twice has one Hebrew name', () => {
  expect(hebrewAuthor('Israel Hopstein, Maggid of Kozhnitz')).toBe("מגיד מקוז'ניץ")
  expect(hebrewAuthor('Nachman of Breslov and Natan of Breslov')).toBe('נחמן מברסלב, נתן מברסלב')
})

test.each(['Yisrael Hopstein of Cracow', 'Levi Yitzchak Derbaremdiger of Berditchev', 'Some Body of Kotzk'])(
  'the author "%s" has no Hebrew name',
  (author) => {
    expect(hebrewAuthor(author)).toBe('')
  },
)
