import { html } from 'hono/html'
import type { EnglishTexts } from '../en/index.ts'
import { counter } from '../grammar/plural.ts'

const count = counter('he')

export const secondFactor: EnglishTexts['secondFactor'] = {
  title: 'אימות דו־שלבי',
  about: 'באימות דו־שלבי נדרש בכניסה גם קוד או מפתח גישה. כך סיסמה גנובה אינה מספיקה.',
  off: 'כבוי. לכניסה מספיקה הסיסמה.',
  on: 'פעיל. לכניסה יש שלב שני.',
  change: 'הפעלה או שינוי',
  addApp: 'הוספת אפליקציית אימות',
  addAppHint: 'דרושה אפליקציה שמציגה קודים בני שש ספרות, כגון Aegis,‏ FreeOTP או Google Authenticator.',
  appAdded: 'אפליקציית האימות מוגדרת.',
  scan: 'יש לסרוק את הקוד באפליקציה. היא תציג שש ספרות, ואותן מזינים למטה.',
  qrCode: 'קוד QR לאפליקציית האימות',
  cannotScan: 'אם אי אפשר לסרוק, אפשר להזין באפליקציה את הסוד הזה:',
  secret: 'הסוד לאפליקציה',
  code: 'הקוד מהאפליקציה',
  turnOn: 'הפעלה',
  passkeys: 'מפתחות גישה',
  passkeysHint: 'מפתח גישה בטלפון, במחשב או במפתח אבטחה בא במקום הקוד.',
  addPasskey: 'הוספת מפתח גישה',
  addPasskeyHint: 'יש לתת לו שם מוכר. אחר כך הדפדפן ישאל היכן לשמור אותו.',
  needsScripts: 'למפתחות גישה דרושים סקריפטים, והם כבויים בדפדפן הזה.',
  passkeyFailed: 'הדפדפן לא מסר מפתח גישה. אפשר לנסות שוב.',
  usePasskey: 'כניסה במפתח גישה',
  recoveryCodes: 'קודי שחזור',
  recoveryAbout:
    'כל קוד מאפשר כניסה אחת בלי הטלפון. כדאי לשמור אותם במקום שאפשר להגיע אליו גם בלעדיו. הם לא יוצגו שוב.',
  recoveryLeft: count({
    one: 'נותר קוד שחזור אחד.',
    two: 'נותרו שני קודי שחזור.',
    other: (n) => `נותרו ${n} קודי שחזור.`,
  }),
  replaceCodes: 'יצירת קודי שחזור חדשים',
  replaceHint: 'קודים חדשים מחליפים אותם.',
  haveKept: 'שמרתי אותם',
  turnOff: 'כיבוי',
  turnOffTitle: 'כיבוי האימות הדו־שלבי',
  turnOffHint: 'אחרי הכיבוי מספיקה הסיסמה לכניסה.',
  anyCode: 'קוד מהאפליקציה או קוד שחזור',
  stepTitle: 'שלב שני',
  stepHint: 'יש להזין את שש הספרות שמציגה אפליקציית האימות, או קוד שחזור.',
  startAgain: html`<a href="/signin">כניסה לחשבון אחר</a>`,
  done: {
    'passkey-added': 'מפתח הגישה נוסף.',
    'passkey-removed': 'מפתח הגישה הוסר.',
    off: 'האימות הדו־שלבי כבוי.',
  },
}
