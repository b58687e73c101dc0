import { html } from 'hono/html'
import type { EnglishTexts } from '../../en/index.ts'

export const feedback: EnglishTexts['operator']['feedback'] = {
  about: html`מה קוראים חושבים על תשובות. בקובץ יש שאלה בכל שורה, כפי שקוראת אותו הפקודה
<code>npm run -s service -- eval</code>.`,
  download: 'הורדת הקובץ',
  none: 'עדיין אין משוב',
  noneHint: 'מתחת לכל תשובה אפשר לציין אם היא טובה.',
  good: 'טובה',
  bad: 'לא טובה',
  sources: 'מקורות:',
}
