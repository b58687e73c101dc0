import { html } from 'hono/html'
import type { EnglishTexts } from '../../en/index.ts'
import { counter } from '../../grammar/plural.ts'

const count = counter('he')

export const health: EnglishTexts['operator']['health'] = {
  well: 'השירות תקין.',
  needsAttention: (parts) => `דורש טיפול: ${parts}.`,
  now: 'עכשיו',
  database: 'מסד הנתונים',
  postgres: (version, ms) => `Postgres ${version}, משיב תוך ${ms} אלפיות שנייה`,
  databaseSize: 'גודל מסד הנתונים',
  connections: 'חיבורים',
  started: 'הופעל',
  running: 'שאלות בעבודה',
  queued: 'שאלות בתור',
  orphaned: 'שאלות ללא תהליך',
  libraryDatabase: 'מסד הנתונים של הספרייה',
  index: 'אינדקס החיפוש',
  notKnown: 'לא ידוע',
  complete: 'שלם',
  notIndexed: count({
    one: 'טקסט אחד עדיין אינו באינדקס',
    two: 'שני טקסטים עדיין אינם באינדקס',
    other: (n) => `${n} טקסטים עדיין אינם באינדקס`,
  }),
  oldest: (duration) => `הוותיקה ביותר: ${duration}`,
  orphanNote:
    'כשתהליך נכשל, תהליך אחר מקבל לידיו את השאלות שלו תוך כ־20 שניות. אם שאלות נשארות ללא תהליך זמן רב יותר, אין תהליך שמטפל בשאלות.',
  noProcess: 'אין תהליך שמטפל בשאלה.',
  processes: 'תהליכים',
  process: 'תהליך',
  turns: 'שאלות',
  lease: 'ההחזקה עד',
  ledger: 'בדיקות ספר החשבונות',
  runChecks: 'הרצת הבדיקות עכשיו',
  never: 'עדיין לא נבדק. הבדיקות רצות בכל עשר דקות.',
  lastCheck: (passed, checks, ago) => `בדיקה אחרונה: ${passed} מתוך ${checks} עברו, לפני ${ago}.`,
  failed: (failed, total) => `${failed} מתוך ${total} בדיקות נכשלו.`,
  notRun: (notRun, total) => `${notRun} מתוך ${total} בדיקות לא רצו.`,
  failures: 'כישלונות ב־24 השעות האחרונות',
  noFailures: 'אף שאלה לא נכשלה',
  ended: count({
    one: 'שאלה אחת הסתיימה ב־24 השעות האחרונות.',
    two: 'שתי שאלות הסתיימו ב־24 השעות האחרונות.',
    other: (n) => `${n} שאלות הסתיימו ב־24 השעות האחרונות.`,
  }),
  failedOf: (failed, ended, codes) => html`${failed} מתוך ${ended} נכשלו: ${codes}.`,
  failureTable: 'כישלונות',
  code: 'קוד',
  message: 'הודעה',
  largest: 'הטבלאות הגדולות ביותר',
  table: 'טבלה',
  rows: 'שורות, בערך',
  size: 'גודל עם אינדקסים',
  notCounted: 'עדיין לא נספרו',
}
