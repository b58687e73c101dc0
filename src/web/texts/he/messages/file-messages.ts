import type { Messages } from '../../grammar/translate.ts'

/** Messages about files, their texts, and imports into the library. */
export const fileMessages: Messages = {
  'A file "{name}" exists already. Choose another name.': 'כבר יש קובץ בשם ”{name}”. יש לבחור שם אחר.',
  'There is no file "{name}". The list of files has the names.':
    'אין קובץ ”{name}”. השמות מופיעים ברשימת הקבצים.',
  'The file needs a name that can be seen. Give it one.': 'לקובץ דרוש שם שרואים אותו. יש לתת לו שם.',
  'The file name is longer than {max} characters. Choose a shorter one.':
    'שם הקובץ ארוך מ־{max} תווים. יש לבחור שם קצר יותר.',
  'The plan "{plan}" allows files of at most {size}. Choose a smaller file.':
    'התוכנית ”{plan}” מאפשרת קבצים עד {size}. יש לבחור קובץ קטן יותר.',
  'The plan "{plan}" stores {size}. Delete files to make room.':
    'התוכנית ”{plan}” מאחסנת עד {size}. אפשר למחוק קבצים כדי לפנות מקום.',
  '{number} uploads of this account are in progress, which is the maximum. Wait for one of them to end.':
    '{number} העלאות של החשבון בעיצומן, וזה המרב. יש להמתין לסיומה של אחת מהן.',
  '`file` is required: a part with a file name.': 'יש לבחור קובץ.',
  'Send the file as multipart/form-data, in a part named `file`.': 'יש לבחור קובץ.',
  '`{param}`: at most {max}.': 'אחד משדות ההעלאה גדול מדי. יש לקצר אותו.',
  'The form has more than one file. Send one file per request.':
    'יש בטופס יותר מקובץ אחד. מעלים קובץ אחד בכל פעם.',
  'The multipart body is incomplete or malformed. Check its boundary and its end.':
    'ההעלאה נקטעה. יש לשלוח את הקובץ שוב.',
  'The range starts after the end of the file, which has {size} bytes. Ask for an earlier range.':
    'הטווח מתחיל אחרי סוף הקובץ, שגודלו {size} בתים.',
  'It is too large to be read.': 'הוא גדול מכדי לקרוא אותו.',
  'It is neither a text nor a document.': 'הוא אינו טקסט ואינו מסמך.',
  'It is a text in an encoding that cannot be told. Save it as UTF-8.':
    'זה טקסט בקידוד שאי אפשר לזהות. יש לשמור אותו כ־UTF-8.',
  'It could not be read just now. Try again later.': 'לא היה אפשר לקרוא אותו כעת. אפשר לנסות שוב מאוחר יותר.',
  'It would take too long to read.': 'קריאתו הייתה נמשכת יותר מדי זמן.',
  'It would take too much memory to read.': 'קריאתו הייתה דורשת יותר מדי זיכרון.',
  'It is an old Word document or one with a password. Save it as DOCX without one.':
    'זה מסמך Word ישן או מסמך עם סיסמה. יש לשמור אותו כ־DOCX בלי סיסמה.',
  'It is an RTF document. Save it as DOCX.': 'זה מסמך RTF. יש לשמור אותו כ־DOCX.',
  'It is an archive without a Word document in it.': 'זה קובץ ארכיון שאין בו מסמך Word.',
  'Its markup is nested too deeply.': 'מבנה המסמך עמוק מדי.',
  'It has a password.': 'יש עליו סיסמה.',
  'It is damaged or no PDF at all.': 'הוא פגום, או שאינו קובץ PDF כלל.',
  'Its archive has {number} entries.': 'יש בארכיון שלו {number} רשומות.',
  'It unpacks to more than a document of its kind ever needs.':
    'אחרי פריסתו הוא גדול יותר משמסמך כזה צריך להיות.',
  'Its archive is damaged.': 'הארכיון שלו פגום.',
  'Only its first {max} characters are here.': 'כאן רק {max} התווים הראשונים שלו.',
  'It is damaged: its text cannot be taken out.': 'הוא פגום: אי אפשר להוציא ממנו את הטקסט.',
  'It has no text layer: its pages are pictures. Recognise them first (OCR), and send the result.':
    'אין בו שכבת טקסט: דפיו הם תמונות. יש לזהות קודם את הכתוב בהן (OCR) ולשלוח את התוצאה.',
  'It has no text layer, and the recognition of its characters (OCR) failed.':
    'אין בו שכבת טקסט, וזיהוי הכתוב בו (OCR) נכשל.',
  'Its characters are being recognised (OCR). Read it again in a few minutes.':
    'הכתוב בו נמצא בזיהוי (OCR). אפשר לקרוא אותו שוב בעוד כמה דקות.',
  'Its text was recognised from pictures of its pages (OCR), and can have mistakes.':
    'הטקסט שלו זוהה מתמונות של דפיו (OCR), וייתכנו בו טעויות.',
  'A part of it is another document inside it, which was not read. Save it in Word again.':
    'חלק ממנו הוא מסמך אחר שבתוכו, שלא נקרא. יש לשמור אותו שוב ב־Word.',
  'It holds no text.': 'אין בו טקסט.',
  "Sefaria's export could not be reached at {url}: no answer within {seconds} s.":
    'לא היה אפשר להגיע אל הייצוא של ספריא בכתובת {url}: לא הייתה תשובה בתוך {seconds} שניות.',
  "Sefaria's export could not be reached at {url}: the server answered {status}.":
    'לא היה אפשר להגיע אל הייצוא של ספריא בכתובת {url}: השרת ענה {status}.',
  "Sefaria's export could not be reached at {url}: {reason}.":
    'לא היה אפשר להגיע אל הייצוא של ספריא בכתובת {url} ({reason}).',
  "There is no folder {folder}. Name a folder with Sefaria's export, or a mirror with --base-url.":
    'אין תיקייה {folder}. יש לבחור תיקייה שבה הייצוא של ספריא, או אתר מראה.',
  'The folder {folder} cannot be read.': 'אי אפשר לקרוא את התיקייה {folder}.',
  '{url} is not a books.json of the Sefaria export. Name the address of a mirror that has one.':
    'הכתובת {url} אינה books.json של הייצוא של ספריא. יש לציין אתר מראה שיש בו קובץ כזה.',
  '{url} could not be read: {fault}.': 'לא היה אפשר לקרוא את {url} ({fault}).',
  '{url} did not answer with JSON.': 'התשובה של {url} אינה JSON.',
  'There is nothing at {url}.': 'אין דבר בכתובת {url}.',
  'The service ended {times} times while it ran this import at "{title}". Find the reason in the log of the service and of the machine, often too little memory. Then start the import again: it continues.':
    'השירות נסגר {times} פעמים בזמן הייבוא, בספר ”{title}”. את הסיבה אפשר למצוא ביומן של השירות ושל המחשב; לעיתים קרובות חסר זיכרון. אחר כך אפשר להתחיל את הייבוא שוב, והוא ימשיך.',
  'The service ended {times} times while it ran this import. Find the reason in the log of the service and of the machine, often too little memory. Then start the import again: it continues.':
    'השירות נסגר {times} פעמים בזמן הייבוא. את הסיבה אפשר למצוא ביומן של השירות ושל המחשב; לעיתים קרובות חסר זיכרון. אחר כך אפשר להתחיל את הייבוא שוב, והוא ימשיך.',
  'merged texts hide edition and licence': 'בטקסטים ממוזגים אין לדעת מהם המהדורה והרישיון',
  'the same version came before': 'אותו נוסח כבר הופיע',
  'it holds no text; the library keeps its earlier text': 'אין בו טקסט; בספרייה נשאר הטקסט הקודם',
  'it holds no text': 'אין בו טקסט',
  'licence "{license}" is not allowed: add --allow-license {kind}; the library keeps its earlier text':
    'הרישיון ”{license}” לא אושר; בספרייה נשאר הטקסט הקודם',
  'licence "{license}" is not allowed: add --allow-license {kind}': 'הרישיון ”{license}” לא אושר',
  'the command ended before the import': 'הפקודה הסתיימה לפני הייבוא',
  'There is no collection "{name}".': 'אין אוסף ”{name}”.',
  'There is no collection "{name}". Use one of: {names}.': 'אין אוסף ”{name}”. אלה האוספים: {names}.',
  'The collection "{name}" is being imported. Wait until it is done, or cancel it on the page Operator, Library.':
    'האוסף ”{name}” נמצא בייבוא. יש להמתין לסיומו, או לבטל אותו בדף ניהול, ספרייה.',
  'The collection "{name}" is waiting or being imported. Cancel it first, or wait until it is done.':
    'האוסף ”{name}” ממתין או נמצא בייבוא. יש לבטל אותו קודם, או להמתין לסיומו.',
}
