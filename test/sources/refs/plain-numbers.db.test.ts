import { describe, expect, it } from 'vitest'
import { verifyText } from '../../../src/sources/citations/verify.ts'
import { verifyLookups } from '../../../src/sources/citations/verify-lookups.ts'
import { missingPlaces } from '../../../src/sources/search/missing/places.ts'
import { useLibraryDatabase } from '../../support/database.ts'

const db = useLibraryDatabase()

describe('a number in another sense makes no ref with the title before it:', () => {
  it.each([
    'Genesis 1 of the project was a spacecraft.',
    'We learned Avot 2 hours every Sabbath.',
    'I learn Tanya 2 hours a day.',
    'He taught Tanya 30 years in this town.',
    'She read the Tanya 3 times.',
    'They printed the Tanya 5 times in one year.',
    'We finished Tanya 10 minutes ago.',
    'Tanya 20 dollars, Zohar 40 dollars.',
    'Tanya, 32, lives in Moscow.',
    'Her name is Tanya, 32 years old.',
    'My daughter Esther, 12, asks questions.',
    'Daniel 5 months ago moved away.',
    'Judges 3 and Kings 2 was the score.',
    'The Kings 5 won again.',
    'By the numbers 5 and 7 he meant days.',
    'Numbers 40 and 50 are round.',
    'On Shabbat 2 candles are lit.',
    'On Shabbat 10 guests came.',
    'Job 3 on the list is done.',
    'Ruth 2 was a ship.',
    'Samuel 4 was born in 1890.',
    'Song 12 on the record is a nigun.',
    'That is so. Is 5 more than 3?',
    'Exodus 2 is a film.',
    'The Baal Shem Tov 3 times said so.',
    'The Baal Shem Tov, 62, died in Medzhybizh.',
    'Rambam 8 levels of charity are famous.',
    'Zohar 1 of 5 volumes is here.',
    'Kuzari 2 volumes stand on the shelf.',
    'The Zohar 700 years ago was copied by hand.',
    'Likutei Moharan 2 volumes in one.',
    'Kedushat Levi 4 students bought.',
    'Masters of Chassidut, Warsaw 30 years ago.',
    'In Avot 4 things are said of four.',
    'Shabbat, section 3 of the handout, is long.',
    'Psalms 10 days before the feast',
    'Lessons in Tanya 5 times a week',
    'Sotah, Gittin, Nazir: 3 tractates.',
  ])('%s', async (text) => {
    expect((await verifyText(text, verifyLookups(db.database.system))).refs).toEqual([])
  })

  it.each([
    "בראשית א' היה אור.",
    'בראשית ב׳ ימים עברו.',
    'בראשית ברא אלקים.',
    'ספר בראשית לא נגמר.',
    'שבת א חזון היא.',
    'שבת ב׳ של החודש.',
    'שבת לא נגמרה עדיין.',
    'ברכות ה׳ עליכם.',
    'ברכות לו ולביתו.',
    'ברכות לך, ידידי.',
    'אבות ב׳ וג׳ בלוח.',
    'שלושת אבות לא ידעו.',
    'הרי דברים: א, ב, ג.',
    'שני דברים: א, ב.',
    'נאמרו בו דברים לא מעטים.',
    'שמות לא נמסרו.',
    'רשימת שמות: א, ב, ג.',
    'מלכים לא יקומו.',
    'שופטים ג׳ ישבו בדין.',
    'אסתר בת י"ב שנה.',
    'דניאל ה׳ ישמרהו.',
    'תמיד ב׳ פעמים ביום.',
    'בתניא לא נאמר כך.',
    'בתניא לא.',
    'התניא (לא אחר) אומר זאת.',
    'ספר התניא כל כולו אהבה.',
    'תניא לב אל לב.',
    'למד תניא ב׳ שעות ביום.',
    'נדפס תניא ג׳ פעמים.',
    'בתניא י"ט כסלו נזכר.',
    'התניא ז"ל כתב.',
    'אמירת תהילים (לא בכל יום) טובה.',
    'אמר תהילים לא פחות מאדם אחר.',
    '(תהילים כן הוא)',
    'תהילים ל׳ יום לפני החג.',
    'הזוהר לו לעזר.',
    'נקרא ספר של בינונים (שם).',
    'הספר נקרא "תניא" (כך במקור).',
    'הספר נקרא "ספר התניא" (לא ליקוטי אמרים).',
    'כך "ספר של בינונים" (לא כמו שחשבו).',
    'אורח חיים לא פשוט.',
    'אורח חיים ב׳ של האדם.',
    'עבודה זרה לא תעשה.',
    'ראש השנה ב׳ ימים.',
    'בבא מציעא ג׳ פעמים למד.',
  ])('%s', async (text) => {
    expect((await verifyText(text, verifyLookups(db.database.system))).refs).toEqual([])
  })

  it.each([
    'Do we learn Tanya 2 hours a day?',
    'Was Genesis 1 of the project a spacecraft?',
    'What does Genesis 1 of the project do?',
    'What does Esther 12 years after say?',
    'What does Daniel 5 mean to you?',
    'What is written in numbers 5 and 7?',
    'מה נאמר באבות לא ידועים?',
    'מה כתוב בשמות לא ברורים?',
    'מה נאמר בדברים ב׳ שעות?',
    'האם לומדים תניא ב׳ שעות ביום?',
    'מה נאמר בשבת ב׳ של החודש?',
    'כמה ברכות ה׳ נתן לנו?',
  ])('%s', async (question) => {
    expect(await missingPlaces(db.database.system, question)).toEqual([])
  })
})
