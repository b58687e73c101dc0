import { beforeAll, describe, expect, it } from 'vitest'
import { checkQuestion } from '../../../src/sources/citations/check.ts'
import { type Verification, verifyText } from '../../../src/sources/citations/verify.ts'
import { verifyLookups } from '../../../src/sources/citations/verify-lookups.ts'
import { ensureStarterLibrary } from '../../../src/sources/importers/starter.ts'
import { useDatabase } from '../../support/database.ts'
import { importLines } from '../../support/library-lines.ts'
import { offeredSource } from '../../support/quote-library.ts'

/** Quotations as answers write them, honest and dishonest, over the starter library and some texts with an edition's signs. */

const own = [
  { ref: 'Refrains 1:1', he: 'הבוטחים בו יעמדו בסערה כי עזרם ומגנם הוא' },
  { ref: 'Refrains 1:2', he: 'והשומרים דרכו לא ימעדו כי עזרם ומגנם הוא' },
  { ref: 'Refrains 2:1', he: 'ויאמר אליו (מלכם) [מי] [לכם] בבית ויאמר אחי {ס}' },
  { ref: 'Refrains 2:2', he: 'ויקומו וילכו שניהם יחדיו אל ההר {פ}' },
  { ref: 'Refrains 3:1', he: 'הפועלים [תחלה] באים לשדה &lt;רבי יונה אומר בערב&gt; ועושים מלאכתם באמונה' },
  { ref: 'Refrains 3:2', he: 'װײל די שמחה װײזט אים דעם װעג אַהײם' },
  { ref: 'Refrains 3:3', he: 'ואל ידבר קלות ח"ו בבית ה\' ולא יסיח דעתו' },
  { ref: 'Refrains 4:1', he: 'הנגר בונה את הדלת בבוקר ואת החלון בערב' },
  { ref: 'Refrains 4:2', he: 'המעיין יוצא מן הסלע', en: 'The spring leaves the rock and seeks the valley' },
  {
    ref: 'Refrains 5:1',
    he: '',
    en: 'The wick drinks slowly; so it is taught [S1] in the gate of oil [3] and again',
  },
  { ref: 'Refrains 6:1', he: 'והנר הקטן בעליה הוא מאיר לעוברי דרך' },
  { ref: 'Refrains 6:2', he: 'הדלת סגורה' },
  { ref: 'Refrains 6:3', he: 'הגשם יורד על הגג' },
  { ref: 'Refrains 6:4', he: 'הנר הקטון שהוא מאיר לעוברי דרך' },
].map((line) => ({ work: 'Refrains', ...line }))

const db = useDatabase()
beforeAll(async () => {
  await ensureStarterLibrary(db.database)
  await importLines(db.database, own)
})

/** What the model was given as `[S1]` and `[S2]`. */
const offered = [own[7], own[8]].map((line, i) =>
  offeredSource({ mark: `S${i + 1}`, ref: line?.ref ?? '', language: 'he', text: line?.he ?? '' }),
)

const verify = (text: string): Promise<Verification> =>
  verifyText(text, { ...verifyLookups(db.database.system), offered, explain: true })

const [rasha, bitachon] = ['Concepts of Chassidut, Rasha 1', 'Concepts of Chassidut, Bitachon 1']
const tzimtzum = 'Concepts of Chassidut, Tzimtzum 1'
const zusha = 'Masters of Chassidut, Zusha of Anipoli 1'
const worlds = 'Concepts of Chassidut, Four Worlds 1'
const malkah = 'Practices of Chassidut, Melaveh Malkah 1'

describe('word for word', () => {
  it.each([
    `“The effort is only a vessel and the blessing is from above” (${bitachon}).`,
    `${bitachon} says: "The effort is only a vessel and the blessing is from above."`,
    `> He died in 1800 and is buried in Anipoli near his teacher.\n\n— ${zusha}`,
    `“as a candle is not noticed in full sunlight” (${tzimtzum})`,
    `"ההשתדלות היא כלי, והברכה באה מלמעלה" (מושגי החסידות, ביטחון א)`,
    `<blockquote class="q"><p>It is also called the meal of King David.</p>\n<cite>${malkah}</cite></blockquote>`,
    `<figure><figcaption>It is also called the meal of King David (${malkah})</figcaption></figure>`,
    `<dl><dt>${malkah}</dt><dd>It is also called the meal of King David.</dd></dl>`,
    `**${malkah}**\n: It is also called the meal of King David.`,
    `"It is also called the meal of King David (${malkah})"`,
    '“The wick drinks slowly;[1] so it is taught” (Refrains 5:1)',
    '“so it is taught {S1} in the gate of oil {3} and again” (Refrains 5:1)',
    '“עזרם ומגנם הוא” (Refrains 1:2)',
    '“עזרם ומגנם הוא” (Refrains 1:1)',
    '“בבית ויאמר אחי ויקומו וילכו שניהם יחדיו” (Refrains 2:1-2)',
    '“הפועלים [תחלה] באים לשדה &lt;רבי יונה אומר בערב&gt; ועושים מלאכתם” (Refrains 3:1)',
    '“ווייל די שמחה ווייזט אים דעם וועג” (Refrains 3:2)',
    `“developed in Chassidut, that the Infinite One restrained …” (${tzimtzum})`,
    `“Tzimtzum, contraction or concealment, is the Lurianic idea” (${tzimtzum})`,
  ])('%s', async (text) => {
    const { quotes } = await verify(text)
    expect(quotes.map(({ result }) => result)).toEqual(['verbatim'])
    expect(quotes[0]?.explanation?.rule).toBe('at_its_place')
  })
})

describe('edited, with what differs', () => {
  it.each([
    [`“tzimtzum is … literal” (${tzimtzum}) and “tzimtzum is … literal: it hides the light”`, undefined],
    [`“a person does what is in his power […] while knowing that the result” (${bitachon})`, undefined],
    [`“even if he regrets it ... There are many degrees” (${rasha})`, 'quickly'],
    [`"ההשתדלות … באה מלמעלה" (מושגי החסידות, ביטחון א)`, 'היא כלי, והברכה'],
    ['“באים לשדה ועושים מלאכתם באמונה” (Refrains 3:1)', 'רבי יונה אומר בערב'],
    ['“מגר בונה את הדלת … ואת החלון בערב” (Refrains 4:1)', undefined],
    [
      `“The Maggid [of Mezritch] said: joy” and “was a student of the Maggid … Elimelekh of Lizhensk” (${zusha})`,
      'brother',
    ],
  ])('%s', async (text, shown) => {
    const { quotes } = await verify(text)
    const edited = quotes.find(({ result }) => result === 'edited')
    if (shown !== undefined) {
      expect(edited).toBeDefined()
      expect(JSON.stringify(edited?.differences)).toContain(shown)
    }
    expect(quotes.map(({ result }) => result)).not.toContain('verbatim')
  })
})

describe('never verbatim or edited', () => {
  it.each([
    [`“The effort is only a vessel and the curse is from above” (${bitachon})`, ['fuzzy']],
    [`“Yearning is the ladder on which the silent climb to song” (${bitachon})`, ['not_found']],
    [`“The effort is only a vessel and the blessing is from above” (${tzimtzum})`, ['misattributed']],
    [`“The effort is … from above” (${tzimtzum})`, ['misattributed']],
    [`“The effort is only a vessel … the sea is calm at dusk” (${bitachon})`, ['not_found']],
    [`“joy … vessel … power … calm … kindness … wealth” (${bitachon})`, ['not_found']],
    [`“The effort is only a vessel (never) and the blessing is from above” (${bitachon})`, ['fuzzy']],
    [`“[The master taught that] joy [is a ladder of seven rungs]” (${bitachon})`, ['not_found']],
    [`"ההשתדלות היא עיקר, והברכה באה ממילא לכל אדם" (מושגי החסידות, ביטחון א)`, ['not_found', 'fuzzy']],
    [`"הסולם עומד בלב השותק והוא עולה בשיר" (${worlds})`, ['not_found']],
    ['“ואל ידבר קלות חכמה ובבית ה׳” (Refrains 3:3)', ['fuzzy', 'not_found']],
    [`*It is also called the meal of King Solomon*, ${malkah}`, ['fuzzy', 'not_found']],
    [`${malkah}\n: It is also called the meal of King Solomon and his wise men.`, ['fuzzy', 'not_found']],
    ['“The carpenter builds seven doors of gold” (Refrains 4:1)', ['not_found']],
    ['“The spring leaves the rock and seeks the valley” (Refrains 4:1)', ['misattributed']],
  ])('%s', async (text, results) => {
    const { quotes } = await verify(text)
    expect(quotes).toHaveLength(1)
    expect(results).toContain(quotes[0]?.result)
  })

  it('an expansion of an abbreviation that means other words is not equal', async () => {
    const written = async (words: string) =>
      (await verify(`“ואל ידבר קלות ${words} בבית ה׳” (Refrains 3:3)`)).quotes[0]
    expect((await written('חכמה ובינה'))?.similarity ?? 0).toBeLessThan(1)
    expect(await written('חס ושלום')).toMatchObject({ result: 'fuzzy', similarity: 1 })
  })
})

describe('the source that an answer names is read', () => {
  const [effort, choice] = [
    '“The effort is only a vessel and the blessing is from above”',
    '“Angels have no real choice”',
  ]
  const results = async (text: string) => (await verify(text)).quotes.map(({ result }) => result)

  it.each([
    ['in HTML within a block', `> The effort is only a vessel\n> <cite>${bitachon}</cite>`],
    ['behind a label within a block', `> The effort is only a vessel\n>\n> **Source:** ${bitachon}`],
    [
      'in a list within a block',
      `> 1. The effort is only a vessel (Bitachon 1)\n> 2. Angels have no real choice (Bechirah 1)`,
    ],
    ['of several small words', '“In most days only a little of the soul is awake” (Levels of the Soul 1)'],
    ['that sounds like a portion', `${choice} (Bechirah 1)`],
    ['between signs of direction', '\u200f“ויקומו וילכו שניהם יחדיו”\u200f (Refrains\u200e ch.\u200f 2)'],
    [
      'in further words of the sentence',
      `${bitachon} says ${effort}; and Bechirah 1 adds that, after all, ${choice}.`,
    ],
    ['in another ref of its bracket', `${choice} (Shabbat 30b, quoted in Bechirah 1)`],
    ['behind a semicolon', '“ויקומו וילכו שניהם יחדיו” (Refrains 1; 2)'],
    ['behind entities', `&#8220;Angels have no real choice&#8221; (Bechirah 1)`],
  ])('%s, where the words are right', async (_, text) => {
    const { quotes } = await verify(text)
    expect(quotes.length).toBeGreaterThan(0)
    for (const quote of quotes)
      expect(quote).toMatchObject({ result: 'verbatim', explanation: { rule: 'at_its_place' } })
  })

  it.each([
    ['a portion before a verb', `As Noam Elimelech, Vayeshev says, ${effort}.`],
    ['a portion with a prefix', `כפי שכותב הנועם אלימלך בפרשת וישב: ${effort}`],
    ['a portion behind a volume', `${effort} (Mei HaShiloach I, Lech Lecha)`],
    ['a work with more words', `${effort} (נועם אלימלך, ליקוטי שושנה)`],
    ['an abbreviated work', `${effort} (שפ"א בהעלותך תרמ"ב)`],
    ['an entry in a bracket', `במושגי החסידות (ערך אמונה): "ההשתדלות היא כלי, והברכה באה מלמעלה"`],
    ['an entry before its work', `${effort} (Emunah, in Concepts of Chassidut)`],
    ['an entry in marks before its work', `${effort} (“Emunah,” Concepts of Chassidut)`],
    ['a raised number in brackets', `${effort}<sup>[1]</sup>\n\n[1] ${rasha}`],
    ['a note within a line', `${effort}<sup>2</sup>\n\n<sup>1</sup> ${bitachon}. <sup>2</sup> ${rasha}.`],
    ['a heading above a list', `**${rasha}**\n- ${effort}\n- ${effort}\n\n**${bitachon}**\n- ${choice}`],
  ])('%s, where the words are from elsewhere', async (_, text) => {
    for (const result of await results(text)) expect(result).toBe('misattributed')
    expect(await results(text)).not.toEqual([])
  })

  it('as a mark before each quotation', async () => {
    const [door, well] = ['“הנגר בונה את הדלת בבוקר”', '“המעיין יוצא מן הסלע”']
    for (const text of [`[S1] says ${door}, whereas [S2] says ${well}.`, `[S1]: ${door}\n[S2]: ${well}`])
      expect(await results(text)).toEqual(['verbatim', 'verbatim'])
    expect(await results(`[S1] says ${well}, whereas [S2] says ${door}.`)).toEqual([
      'misattributed',
      'misattributed',
    ])
  })

  it('in the row of a table, and not in the next row', async () => {
    const rows = ['Refrains 4:1 | “הנגר בונה את הדלת בבוקר” | “the carpenter builds the great door at dawn”']
    const lines = [
      'Ref | Hebrew | English',
      '---|---|---',
      ...rows,
      'Refrains 2:1 | “המעיין יוצא מן הסלע” | ',
    ]
    const text = lines.map((line) => `| ${line} |`).join('\n')
    expect(await results(text)).toEqual(['verbatim', 'translation', 'misattributed'])
  })

  it('and words of another place are not preferred if the named place has them nearly as close', async () => {
    const text = '“והנר הקטן הוא מאיר לעוברי דרך” (Refrains 6:1)'
    expect(await results(text)).toEqual(['not_found'])
  })

  it('and a verb behind an entry is no ref', async () => {
    const text = 'The Zusha of Anipoli entry says “He died in 1800 and is buried”.'
    expect((await verify(text)).refs).toEqual([])
  })
})

describe('translations', () => {
  it.each([
    ['beside its original', '“הנגר בונה את הדלת בבוקר” (“the carpenter builds the door in the morning”)'],
    ['before its original', '"The carpenter builds the door in the morning": "הנגר בונה את הדלת בבוקר"'],
    ['in a block', '> הנגר בונה את הדלת בבוקר\n> The carpenter builds the door at dawn\n\n— Refrains 4:1'],
    ['at the mark of a Hebrew passage', '“The carpenter builds the door in the morning” [S1]'],
  ])('%s are called so', async (_, text) => {
    const results = (await verify(text)).quotes.map(({ result }) => result)
    expect(results).toContain('translation')
    expect(results).not.toContain('not_found')
  })

  it('of a passage that the library has in that language are compared with it', async () => {
    const text = '“המעיין יוצא מן הסלע” – “The brook runs down to the river”'
    expect((await verify(text)).quotes.map(({ result }) => result)).toEqual(['verbatim', 'not_found'])
  })
})

describe('a mark of one version and a ref in words', () => {
  const words = '“The spring leaves the rock and seeks the valley”'
  it('are both checked, the mark in all versions', async () => {
    expect((await verify(`${words} [S2]`)).quotes).toMatchObject([
      { result: 'verbatim', found_ref: 'Refrains 4:2', explanation: { rule: 'in_another_version' } },
    ])
    expect((await verify(`${words} (Refrains 1:1) [S2]`)).quotes).toMatchObject([
      { result: 'misattributed', named_ref: 'Refrains 1:1', found_ref: 'Refrains 4:2' },
    ])
  })
})

describe('a ref behind a quotation counts, although the library cannot read its title:', () => {
  const [joy, self] = [
    '“time is set aside for a broken heart, and the rest of the day belongs to gladness”',
    '"ביטול אינו שנאה עצמית ואינו איבוד הכישרונות"',
  ]
  it.each([
    ...['IK 12', 'SY 13', 'TZ 6', 'Zohar III, 152a', 'Zohar, p. 152', 'Sefer Orot HaNiggun 14'],
    ...['Concepts of Chassidut, Moshiach Letters 1', 'Kuntres HaSimcha, p. 12', 'Emek HaSod, gate 2'],
    ...['Derech HaMelodia 4:2', 'Torat Menachem 5712, vol. 2', 'Sefer HaMaamarim 5659'],
    ...['Maggid, Torah Or 7', 'Sefer Orot HaNiggun XIV', 'Kuntres HaSimcha, pp. 12-13'],
    ...['זח"ג קנב ע"א', 'סה"מ תרנ"ט', 'קונטרס השמחה פרק ג', 'תקו"ז ו', 'לקו"ש ח"ד', 'ע"ח שער א'],
    ...['ספר הניגונים יב', 'אג"ק ח"ג עמ\' קנב'],
  ])('(%s)', async (ref) => {
    const { quotes, refs } = await verify(`${/[א-ת]/.test(ref) ? self : joy} (${ref})`)
    expect(quotes).toMatchObject([{ result: 'misattributed', ref }])
    expect(refs).toMatchObject([{ text: ref, exists: false }])
  })

  it.each([
    `${joy} ([Sefer Orot HaNiggun 14](https://books.example/c))`,
    `${joy} (quoted in *Sefer Orot HaNiggun* 14, emphasis added)`,
    `${joy} [Sefer Orot HaNiggun 14]`,
    `> ${joy.slice(1, -1)}\n\n— Sefer Orot HaNiggun 14`,
    `${joy} (see the Sefer Orot HaNiggun 14)`,
    `${joy} — Sefer Orot HaNiggun 14`,
    `${joy}.[^1]\n\n[^1]: Sefer Orot HaNiggun 14`,
  ])('in each form of writing: %s', async (text) => {
    expect((await verify(text)).quotes).toMatchObject([{ result: 'misattributed' }])
  })

  it('each of several, and one that has the words is enough', async () => {
    const { quotes, refs } = await verify(`${joy} (Simcha 1; Sefer Orot HaNiggun 14)`)
    expect(quotes).toMatchObject([{ result: 'verbatim', ref: 'Concepts of Chassidut, Simcha 1' }])
    expect(refs).toHaveLength(2)
  })

  it.each([
    ...['Session 3', 'Vilna 1837', 'New York, 1958', 'Rabbi Levi, 34', 'Kislev 19', 'see chapter 3 below'],
    ...['כפי שלמדנו בפרק ג', 'רמב"ם ז"ל', 'emphasis added in chapter 3'],
  ])('but not what is no ref: (%s)', async (words) => {
    const { quotes, refs } = await verify(`${joy} (${words})`)
    expect(quotes).toMatchObject([{ result: 'verbatim' }])
    expect(refs).toEqual([])
  })
})

describe('the explanation', () => {
  it('names the rule and the places that were compared', async () => {
    const [quote] = (await verify(`“The effort is only a vessel and the blessing” (${tzimtzum})`)).quotes
    expect(quote?.explanation).toMatchObject({
      rule: 'place_without_the_words',
      comparisons: [
        { searched: 'named_refs', compared: [{ ref: tzimtzum, result: 'none' }, { ref: tzimtzum }] },
        { searched: 'other_marks' },
        { searched: 'library' },
      ],
    })
    const library = quote?.explanation?.comparisons.at(-1)
    expect(library?.compared).toContainEqual(expect.objectContaining({ ref: bitachon, result: 'verbatim' }))
  })

  it.each([
    ['too_short', 'He calls it “a vessel”.'],
    ['emphasis', 'This is *a very important thing for him*, and more.'],
    ['ref', `See “${bitachon}” for more.`],
    ['title', 'The book “The Ladder of Silence and Song” is lost.'],
    ['of_the_reader', 'You asked “what may a man do on a long evening”?'],
  ])('says why words were not compared: %s', async (reason, text) => {
    const { quotes, not_compared } = await verify(text)
    expect(quotes).toEqual([])
    expect(not_compared).toMatchObject([{ reason }])
    const [left] = not_compared ?? []
    expect(text.slice(left?.start, left?.end)).toBe(left?.text)
  })

  it('is absent unless it is asked for', async () => {
    const plain = await verifyText(
      `“a vessel” and “The effort is only a vessel” (${bitachon})`,
      verifyLookups(db.database.system),
    )
    expect(plain).not.toHaveProperty('not_compared')
    expect(plain.quotes[0]).not.toHaveProperty('explanation')
  })
})

describe('a quotation in the question', () => {
  const asked = async (question: string) =>
    (await checkQuestion(question, verifyLookups(db.database.system))).quotes

  it.each([
    ['Is it true that the Tanya says "the world is a bridge of glass and song"?', 'not_found'],
    [`Where is "The effort is only a vessel and the blessing is from above"?`, 'verbatim'],
    [`Does ${tzimtzum} say "The effort is only a vessel"?`, 'misattributed'],
    [`האם נכון שכתוב "ההשתדלות היא … מלמעלה" ב${'מושגי החסידות, ביטחון א'}?`, 'edited'],
  ])('is checked: %s', async (question, result) => {
    expect(await asked(question)).toMatchObject([{ result }])
  })

  it.each(["What's new?", 'Translate "I love you very much, my dear friend" into Hebrew'])(
    'counts only if it claims a source or the library has it: %s',
    async (question) => {
      expect(await asked(question)).toEqual([])
    },
  )
})

it('an explained verification tells token by token how each ref was read', async () => {
  const { refs } = await verify('As Bitachon, ch. XXXII says, all is well.')
  expect(refs[0]).toMatchObject({
    exists: false,
    reading: {
      tokens: expect.arrayContaining([
        expect.objectContaining({ text: 'ch', kind: 'unit', unit: 'chapter' }),
        expect.objectContaining({ text: '32', kind: 'number', value: '32' }),
      ]),
      is_page: false,
    },
  })
})
