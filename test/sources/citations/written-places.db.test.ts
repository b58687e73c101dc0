import { describe, expect, it } from 'vitest'
import { useLibrary } from '../../support/library-lines.ts'
import { libraryReader } from '../../support/library-reader.ts'

const lantern = 'Every lantern in the valley burns until the miller closes his heavy door'
const place = (chapter: number): string => `Tanya, Part I; Likkutei Amarim ${chapter}`

const db = useLibrary(
  Array.from({ length: 40 }, (_, i) => ({
    ...{ work: 'Tanya', he_title: 'תניא', license: 'own' },
    ...{ ref: place(i + 1), he_ref: `תניא, לקוטי אמרים ${i + 1}` },
    en: i === 25 ? `${lantern}.` : `Row ${i + 1} of the hall is bare.`,
  })),
)
const { verify } = libraryReader(db)
const quotesOf = async (text: string) => (await verify(text.replace('Q', lantern))).quotes

describe('the place of a quotation is read', () => {
  it.each([
    ['with a colon behind the unit', '“Q” (Tanya, Ch: %)'],
    ['with a colon behind the Hebrew unit', '“Q” (תניא, פרק: %)'],
    ['with a side behind the chapter', '“Q” (Tanya chapter %a)'],
    ['with a side behind the Hebrew chapter', '“Q” (תניא פרק % ע״א)'],
    ['at a link to a footnote', '“Q”<a href="#fn1">1</a>\n\n1. Tanya, ch. %'],
    ['at a raised link', '“Q”<sup id="r1"><a href="#fn1">1</a></sup>\n\n<sup>1</sup> Tanya, ch. %'],
    ['at a note that brackets name', '“Q” (see note 1).\n\n1. Tanya, ch. %'],
    ['at a note in square brackets', '“Q” [n. 1]\n\n[1] Tanya, ch. %'],
    ['at a Hebrew note', '“Q” (ראה הערה 1)\n\n1. תניא פרק %'],
  ])('%s', async (_, text) => {
    const isHebrew = text.includes('תניא')
    const [right, wrong] = isHebrew ? ['כו', 'לב'] : ['26', '32']
    expect(await quotesOf(text.replace('%', right))).toMatchObject([{ result: 'verbatim' }])
    expect(await quotesOf(text.replace('%', wrong))).toMatchObject([
      { result: 'misattributed', found_ref: place(26) },
    ])
  })

  it.each([
    ['a page of the print', '“Q” (Tanya 32b)'],
    ['a remark in brackets', '“Q” (note 3 lamps)\n\n1. Tanya, ch. 32'],
    ['a note that the text lacks', '“Q” (see note 2)\n\n1. Tanya, ch. 32'],
    ['a link to a page', '“Q” <a href="https://example.org">here</a>\n\n1. Tanya, ch. 32'],
  ])('but not %s', async (_, text) => {
    expect(await quotesOf(text)).toMatchObject([{ result: 'verbatim' }])
  })
})
