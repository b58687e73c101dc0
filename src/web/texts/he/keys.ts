import { html } from 'hono/html'
import type { EnglishTexts } from '../en/index.ts'

export const keys: EnglishTexts['keys'] = {
  title: 'מפתחות API',
  newKey: 'מפתח חדש',
  newTitle: 'מפתח API חדש',
  noAccess: (
    plan,
  ) => html`<b>התוכנית ”${plan}” אינה כוללת את ה־API.</b> אפשר ליצור מפתחות, אבל ה־API ידחה את בקשותיהם
בשגיאה <code>plan_without_api_access</code> עד שמפעיל השירות ייתן לחשבון תוכנית אחרת.
<a href="/ask">שאלות בדפים האלה</a> אפשריות בכל תוכנית.`,
  none: 'אין עדיין מפתחות',
  noneHint: html`בעזרת מפתח יכולות תוכנות לשאול שאלות. <a href="/settings/keys/new">יצירת המפתח הראשון</a>.`,
  key: 'מפתח',
  access: 'גישה',
  permissions: 'הרשאות',
  lastUsed: 'שימוש אחרון',
  states: { active: 'פעיל', revoked: 'בוטל', expired: 'פג תוקף' },
  until: (date) => html`עד ${date}`,
  revoke: 'ביטול המפתח',
  revokeQuestion: (name) =>
    html`תוכנות שמשתמשות במפתח ”<bdi>${name}</bdi>” יפסיקו לעבוד מיד. אי אפשר לחזור מזה.`,
  revokeConfirm: 'כן, לבטל אותו',
  allProjects: 'כל הפרויקטים',
  ownProject: html`פרויקט משלו <small class="faint">(נוצר בשימוש הראשון)</small>`,
  done: {
    revoked: 'המפתח בוטל. בקשות איתו נדחות.',
    made: 'הטופס הזה כבר יצר מפתח, והוא מוצג פעם אחת בלבד. אם אבד, אפשר לבטל אותו וליצור אחר.',
  },
  namePlaceholder: 'למשל: אתר, שרת',
  grants: {
    'models:read': 'רשימת המודלים',
    'sources:read': 'חיפוש וקריאה בספרייה ובדיקת ציטוטים; ללא עלות בקרדיטים',
    'chat:write': 'שאילת שאלות, מעקב אחר הרצות ועצירתן; כולל את הספרייה',
    'sessions:write': 'יצירת שיחות והמשכן',
    'files:read': 'רשימת הקבצים והורדתם',
    'files:write': 'העלאת קבצים ומחיקתם',
    'projects:read': 'רשימת הפרויקטים',
    'projects:write': 'יצירה, שינוי ומחיקה של פרויקטים; רק למפתח שיש לו גישה לכל הפרויקטים',
  },
  expires: 'תוקף',
  expiries: { never: 'ללא הגבלה', '30': '30 יום', '90': '90 יום', '365': 'שנה' },
  create: 'יצירת המפתח',
  forServers: (email) =>
    html`המפתחות של <bdi>${email}</bdi> נועדו לשרתים ולסקריפטים. אין לשים מפתח בדף אינטרנט, באפליקציה או במאגר קוד.`,
  dedicated: 'פרויקט משלו',
  dedicatedHint: 'הפרויקט נוצר בבקשה הראשונה. למפתח אין גישה לשום דבר אחר. זו הבחירה הבטוחה ביותר.',
  oneOfYours: 'אחד הפרויקטים שלך',
  all: 'כל הפרויקטים',
  allHint: 'כל מי שבידו המפתח יכול לקרוא ולשנות הכול בחשבון. כדאי לבחור בזה רק אם אין ברירה.',
  yourNewKey: 'המפתח החדש שלך',
  made: (name) => html`המפתח ”<bdi>${name}</bdi>” נוצר`,
  copyNow: html`<b>יש להעתיק אותו עכשיו.</b> הוא מוצג פעם אחת בלבד: השירות אינו שומר עותק שלו.`,
  refused: (plan) => `התוכנית ”${plan}” אינה כוללת את ה־API: בקשות עם המפתח הזה נדחות.`,
  theKey: 'המפתח',
  theCommand: 'פקודת curl',
  theProgram: 'התוכנה',
  withCurl: 'שאלה בעזרת curl',
  withNode: 'בעזרת ספריית OpenAI ל־Node.js',
  withPython: 'בעזרת ספריית OpenAI ל־Python',
  copied: 'העתקתי אותו',
  exampleQuestion: 'מהו בינוני לפי התניא?',
}
