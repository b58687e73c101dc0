import { html } from 'hono/html'
import type { EnglishTexts } from '../en/index.ts'

export const projects: EnglishTexts['projects'] = {
  about: 'פרויקט מאגד שיחות וקבצים. תשובות בפרויקט יכולות לקרוא את הקבצים שלו ולכתוב קבצים חדשים.',
  own: 'השאלות שלי',
  newProject: 'פרויקט חדש',
  create: 'יצירת הפרויקט',
  none: 'אין עדיין פרויקטים',
  noneHint: html`אפשר ליצור פרויקט כאן למטה, או <a href="/ask">לשאול שאלה</a>: השאלה הראשונה יוצרת את הפרויקט
”השאלות שלי”.`,
  created: (date) => html`נוצר ב־${date}`,
  askHere: 'שאלה בפרויקט הזה',
  noConversations: 'אין עדיין שיחות',
  askFirst: (href) => html`<a href="${href}">השאלה הראשונה</a> בפרויקט הזה.`,
  files: 'קבצים',
  noFiles: 'אין עדיין קבצים',
  noFilesHint:
    'אפשר להעלות טקסטים, קובצי PDF או Word: תשובות יכולות לקרוא אותם ולצטט מהם. גם קבצים שתשובות כותבות מופיעים כאן.',
  uploadFile: 'העלאת קובץ',
  file: 'קובץ',
  chooseFile: 'בחירת קובץ',
  noneChosen: 'לא נבחר קובץ',
  upload: 'העלאה',
  maxSize: (size, plan) => `עד ${size} לקובץ בתוכנית ”${plan}”.`,
  instructions: 'הנחיות',
  instructionsLabel: 'מה שתשובות בפרויקט הזה ינהגו לפיו',
  instructionsHint:
    'למשל: ”יש לבאר כל מושג. עדיפות לספרי חב״ד.” התשובות ממשיכות לצטט מן הספרייה ולציין מקורות. עד 8,000 תווים.',
  saveInstructions: 'שמירת ההנחיות',
  settings: 'הגדרות הפרויקט',
  deleteDots: 'מחיקת הפרויקט…',
  deleteQuestion: 'המחיקה סופית: השיחות והקבצים נמחקים, ומפתחות ה־API המשויכים לפרויקט מתבטלים.',
  deleteConfirm: 'מחיקת כל מה שבו',
  changed: 'שונה',
  done: {
    uploaded: 'הקובץ הועלה. תשובות בפרויקט הזה יכולות לקרוא אותו ולצטט ממנו.',
    'uploaded-image': 'התמונה הועלתה.',
    'uploaded-version': 'הקובץ הועלה כגרסה חדשה של הקובץ בשם הזה.',
    'file-deleted': 'הקובץ נמחק.',
    'session-deleted': 'השיחה נמחקה.',
    instructed: 'ההנחיות נשמרו. הן חלות על שאלות חדשות.',
    renamed: 'שם הפרויקט שונה.',
    deleted: 'הפרויקט נמחק, עם השיחות והקבצים שבו.',
  },
}
