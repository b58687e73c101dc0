import { describe, expect, it } from 'vitest'
import { useLibraryDatabase } from '../../support/database.ts'
import { libraryReader } from '../../support/library-reader.ts'

const db = useLibraryDatabase()
const { verify, missingIn } = libraryReader(db)

describe('a number in another sense makes no ref with the title before it:', () => {
  it.each([
    ...['Ruth 2 was a ship.', 'The Kings 5 won again.', 'Job 3 on the list is done.'],
    ...['Samuel 4 was born in 1890.', 'She read the Tanya 3 times.', 'Tanya, 32, lives in Moscow.'],
    ...['On Shabbat 2 candles are lit.', 'That is so. Is 5 more than 3?'],
    ...['Zohar 1 of 5 volumes is here.', 'Daniel 5 months ago moved away.'],
    ...['Lessons in Tanya 5 times a week', 'Her name is Tanya, 32 years old.'],
    ...['Song 12 on the record is a nigun.', 'The Baal Shem Tov 3 times said so.'],
    ...['Sotah, Gittin, Nazir: 3 tractates.', 'Tanya 20 dollars, Zohar 40 dollars.'],
    ...['Judges 3 and Kings 2 was the score.', 'By the numbers 5 and 7 he meant days.'],
    ...['We learned Avot 2 hours every Sabbath.', 'Rambam 8 levels of charity are famous.'],
    ...['My daughter Esther, 12, asks questions.', 'Genesis 1 of the project was a spacecraft.'],
    ...['The Baal Shem Tov, 62, died in Medzhybizh.', 'Masters of Chassidut, Warsaw 30 years ago.'],
    'Shabbat, section 3 of the handout, is long.',
    ...['תניא לב אל לב.', 'התניא ז"ל כתב.', 'הזוהר לו לעזר.', 'שבת א חזון היא.', 'ברכות ה׳ עליכם.'],
    ...['(תהילים כן הוא)', 'ברכות לו ולביתו.', 'אסתר בת י"ב שנה.', 'דניאל ה׳ ישמרהו.'],
    ...['בראשית ברא אלקים.', 'אבות ב׳ וג׳ בלוח.', 'בתניא לא נאמר כך.', 'ראש השנה ב׳ ימים.'],
    ...["בראשית א' היה אור.", 'אורח חיים לא פשוט.', 'ספר בראשית לא נגמר.', 'שבת לא נגמרה עדיין.'],
    ...['שלושת אבות לא ידעו.', 'הרי דברים: א, ב, ג.', 'תמיד ב׳ פעמים ביום.', 'שופטים ג׳ ישבו בדין.'],
    ...['בתניא י"ט כסלו נזכר.', 'למד תניא ב׳ שעות ביום.', 'ספר התניא כל כולו אהבה.'],
    ...['תהילים ל׳ יום לפני החג.', 'נאמרו בו דברים לא מעטים.', 'התניא (לא אחר) אומר זאת.'],
    ...['הספר נקרא "תניא" (כך במקור).', 'אמירת תהילים (לא בכל יום) טובה.'],
    'כך "ספר של בינונים" (לא כמו שחשבו).',
    'הספר נקרא "ספר התניא" (לא ליקוטי אמרים).',
  ])('%s', async (text) => {
    expect((await verify(text)).refs).toEqual([])
  })

  it.each([
    ...['כמה ברכות ה׳ נתן לנו?', 'מה נאמר בדברים ב׳ שעות?', 'מה נאמר באבות לא ידועים?'],
    ...['האם לומדים תניא ב׳ שעות ביום?', 'What does Daniel 5 mean to you?'],
    ...['Do we learn Tanya 2 hours a day?', 'What is written in numbers 5 and 7?'],
    ...['What does Esther 12 years after say?', 'What does Genesis 1 of the project do?'],
  ])('%s', async (question) => {
    expect(await missingIn(question)).toEqual([])
  })
})
