import type { Messages } from '../../grammar/translate.ts'

/** What the agent does during a turn. */
export const actionMessages: Messages = {
  'Looking up {ref}': 'איתור {ref}',
  'Looking at how {work} is divided': 'בדיקת החלוקה של {work}',
  'Looking for parallels to {ref}': 'חיפוש מקבילות אל {ref}',
  'Searching for "{query}"': 'חיפוש ”{query}”',
  'Looking through the list of works': 'עיון ברשימת הספרים',
  'Making the source sheet "{title}"': 'הכנת דף המקורות ”{title}”',
  'Writing the file {name}': 'כתיבת הקובץ {name}',
  'Editing the file {name}': 'עריכת הקובץ {name}',
  'Renaming the file {name}': 'שינוי השם של הקובץ {name}',
  'Listing the files of the project': 'רשימת הקבצים של הפרויקט',
  'Reading the file {name}, from character {offset}': 'קריאת הקובץ {name}, מתו {offset}',
  'Reading the file {name}': 'קריאת הקובץ {name}',
  // After the file: it matches both.
  'Reading {ref}': 'קריאת {ref}',
  'Searching the files for "{query}"': 'חיפוש ”{query}” בקבצים',
  'Calling {tool} of {server}': 'קריאה אל {tool} של {server}',
  'Deciding what to do': 'החלטה על הצעד הבא',
  'Writing the answer': 'כתיבת התשובה',
  'Writing, cut off': 'כתיבה שנקטעה',
  'The service failed. Send the request id to its operator.':
    'אירעה תקלה בשירות. אפשר לשלוח למפעיל השירות את מספר הבקשה.',
  'The service cannot reach its database. Try again in a few seconds.':
    'השירות אינו מצליח להגיע למסד הנתונים. אפשר לנסות שוב בעוד כמה שניות.',
  'The service is busy. Try again in a few seconds.': 'השירות עמוס. אפשר לנסות שוב בעוד כמה שניות.',
  'The request ended before all of it had arrived. Send it again.':
    'הבקשה נקטעה לפני שהגיעה כולה. יש לשלוח אותה שוב.',
  'The body does not have the length in Content-Length. Send the exact length.':
    'הבקשה לא הגיעה כולה. יש לשלוח אותה שוב.',
  'The request body is larger than {size} MiB, the maximum of this route. Send less.':
    'הבקשה גדולה מ־{size} MB, הגודל המרבי. יש לשלוח פחות.',
  'The content type "{type}" is not supported here. Send {types}.': 'אי אפשר לשלוח לכאן תוכן מהסוג הזה.',
  'The request is too large. Send less.': 'הבקשה גדולה מדי. יש לשלוח פחות.',
}
