import { html } from 'hono/html'
import type { EnglishTexts } from '../en/index.ts'

export const account: EnglishTexts['account'] = {
  signIn: 'כניסה',
  signUp: 'יצירת חשבון',
  newHere: (href) => html`פעם ראשונה כאן? <a href="${href}">יצירת חשבון</a>`,
  haveAccount: (href) => html`כבר יש לך חשבון? <a href="${href}">כניסה</a>`,
  operatorCreates: 'מפעיל השירות הוא שיוצר חשבונות.',
  closed: html`מפעיל השירות הוא שיוצר חשבונות. אפשר לבקש ממנו חשבון ואז <a href="/signin">להיכנס</a>.`,
  about: 'כאן שואלים שאלות בתורת החסידות וקוראים את התשובות לצד מקורותיהן.',
  planGives: (plan, credits) => `התוכנית ”${plan}” נותנת ${credits.toLocaleString('he')} קרדיטים בחודש.`,
  planGivesPages: (plan, credits) =>
    `התוכנית ”${plan}” נותנת ${credits.toLocaleString('he')} קרדיטים בחודש לשאלות בדפים האלה; ל־API דרושה תוכנית אחרת.`,
  passwordRule: (min) => `לפחות ${min} תווים. כמה מילים שאין ביניהן קשר הן סיסמה טובה.`,
  passwordRuleHere: (min) => `לפחות ${min} תווים. כל שאר הדפדפנים ינותקו מהחשבון.`,
  done: {
    'signed-out': 'יצאת מהחשבון.',
    reset: 'הסיסמה החדשה נקבעה. אפשר להיכנס איתה.',
    deleted: 'החשבון וכל הנתונים שבו נמחקו.',
    password: 'הסיסמה הוחלפה. כל שאר הדפדפנים נותקו מהחשבון.',
  },
  ended: {
    page: 'פג תוקף הכניסה לחשבון. אפשר להמשיך לאחר כניסה מחדש.',
    kept: 'פג תוקף הכניסה לחשבון, ולכן דבר לא נשמר. אחרי כניסה מכאן הטופס יחזור עם מה שכתבת.',
    form: 'פג תוקף הכניסה לחשבון, ולכן דבר לא נשמר. יש להיכנס ולשלוח את הטופס שוב.',
  },
  setPassword: 'קביעת סיסמה חדשה',
  setThePassword: 'קביעת הסיסמה',
  resetFor: (email) => html`לחשבון ${email}. כל הדפדפנים המחוברים אליו ינותקו.`,
  settings: 'הגדרות',
  keysTab: 'מפתחות API',
  accountTab: 'חשבון',
  changePassword: 'החלפת הסיסמה',
  currentPassword: 'הסיסמה הנוכחית',
  deleteAccount: 'מחיקת החשבון',
  deleteMeaning: 'המחיקה סופית: המפתחות, הפרויקטים, השיחות והקבצים נמחקים, ויתרת הקרדיטים אובדת.',
  deleteDots: 'מחיקת החשבון…',
  deleteEverything: 'מחיקת הכול',
  passwordToConfirm: 'לאישור יש להזין את הסיסמה',
}
