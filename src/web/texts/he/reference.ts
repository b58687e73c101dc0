import { html } from 'hono/html'
import type { EnglishTexts } from '../en/index.ts'

export const reference: EnglishTexts['reference'] = {
  title: 'תיעוד ה־API',
  about: html`כל בקשה ל־API היא שאלה לסוכן שעובד מול הספרייה. תוכנות שנכתבו ל־OpenAI פועלות ללא שינוי: נותנים להן את הכתובת
<code>/v1</code> ומפתח. התיאור שלמטה כתוב באנגלית.`,
  getKey: 'קבלת מפתח',
  getKeyAbout: 'כדי לשלוח בקשות דרוש מפתח. הן נענות בתוכנית שכוללת את ה־API.',
  yourKey: 'המפתח שלך, לניסיון הבקשות שלמטה',
  keyHint: 'המפתח נשאר בזיכרון הדף בלבד. הוא אינו נשמר, ונמחק עם עזיבת הדף.',
  noScript: html`הדף הזה זקוק ל־JavaScript. אותו תיאור, לתוכנות: <a href="/openapi.json">openapi.json</a>.`,
}
