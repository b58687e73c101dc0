/** The sentences of the extractive provider around its quotations. */
export const wording = {
  en: {
    danger: {
      life: 'This sounds very hard, and nobody has to carry it alone. If a life may be in danger now, call your local emergency number (for example 112 or 911; in Israel 101, and 1201 of ERAN for somebody who listens), or go to the nearest hospital. Tell a person whom you trust today: a relative, a friend, a doctor, a rabbi. This is only a library; people can be with you.',
      violence:
        'Nobody deserves to be hurt, and whoever is hurt is not to blame for it. If there is danger now, go to a safe place and call the police or your local emergency number (for example 112 or 911; in Israel 100, and 118 for help against violence at home). Tell a person whom you trust: a relative, a friend, a doctor, a teacher, a social worker. This is only a library; people can protect you.',
    },
    start:
      'This library only quotes passages. It gives no halachic rulings and makes no personal decisions: for those, ask a rabbi who knows the circumstances.',
    named: 'At the place that the question names:',
    most: 'A search for the words of the question found, closest first:',
    mostOfBoth: 'A search for the words of this question and of those before found, closest first:',
    some: 'A search found no passage with most words of the question. These have some of them, and may speak of something else:',
    attached: 'From the attached file and the library, passages with words of the question:',
    none: 'A search of the library found no passage that answers this. Ask in English or Hebrew about a person, a book, a practice or a concept.',
    missingBook: 'If a book is missing, ask the person who runs this service to add it.',
    texts: 'Primary texts on this:',
    primary: 'To read on, in this library:',
    file: (name: string) => `The same passages were written to the file ${name}.`,
    unread: (name: string, reason: string) => `The file ${name} cannot be read. ${reason}`,
    partlyRead: (name: string, reason: string) => `Only a part of the file ${name} was read. ${reason}`,
    noText: (name: string) => `The file ${name} has no text.`,
    notRead: 'An attached file was not read.',
    filesOff: 'The attached files were not read: this turn has no tool for files.',
  },
  he: {
    danger: {
      life: 'זה נשמע קשה מאוד, ואיש אינו צריך לשאת זאת לבד. אם יש עכשיו סכנת חיים, יש להתקשר למספר החירום המקומי (למשל 112 או 911; בישראל 101, ולשיחה עם אוזן קשבת ער״ן 1201) או לפנות לבית החולים הקרוב. כדאי לספר עוד היום לאדם קרוב: בן משפחה, חבר, רופא או רב. כאן יש רק ספרייה; אנשים יכולים להיות לצדך.',
      violence:
        'לאיש לא מגיע שיפגעו בו, ומי שנפגע אינו אשם בכך. אם יש סכנה עכשיו, יש ללכת למקום בטוח ולהתקשר למשטרה או למספר החירום המקומי (למשל 112 או 911; בישראל 100, ו־118 לסיוע נגד אלימות בבית). כדאי לספר לאדם קרוב: בן משפחה, חבר, רופא, מורה או עובד סוציאלי. כאן יש רק ספרייה; אנשים יכולים להגן עליך.',
    },
    start:
      'הספרייה רק מצטטת קטעים. היא אינה פוסקת הלכה ואינה מכריעה בשאלות אישיות: בכגון אלה יש לשאול רב המכיר את הנסיבות.',
    named: 'במקום שנזכר בשאלה כתוב:',
    most: 'בחיפוש לפי מילות השאלה נמצאו, מן הקרוב ביותר:',
    mostOfBoth: 'בחיפוש לפי מילות השאלה הזאת ושלפניה נמצאו, מן הקרוב ביותר:',
    some: 'בחיפוש לא נמצא קטע שבו רוב מילות השאלה. כאן נמצאות מקצתן, וייתכן שמדובר בעניין אחר:',
    attached: 'מן הקובץ המצורף ומן הספרייה, קטעים שיש בהם ממילות השאלה:',
    none: 'בחיפוש בספרייה לא נמצא קטע שמשיב על כך. אפשר לשאול בעברית או באנגלית על אדם, ספר, מנהג או מושג.',
    missingBook: 'אם חסר ספר, אפשר לבקש ממי שמפעיל את השירות להוסיף אותו.',
    texts: 'מקורות ראשונים בעניין זה:',
    primary: 'להמשך עיון, בספרייה זו:',
    file: (name: string) => `הקטעים נכתבו גם לקובץ:\n${name}`,
    // Tools give their reasons in English only, so Hebrew answers say what can be read.
    unread: (name: string, _reason: string) =>
      `אפשר לקרוא טקסט, PDF שיש בו טקסט ו־DOCX, ללא סיסמה ושאינם גדולים מדי. הקובץ הזה לא נקרא:\n${name}`,
    partlyRead: (name: string, _reason: string) => `רק חלק מן הקובץ הזה נקרא:\n${name}`,
    noText: (name: string) => `אין טקסט בקובץ:\n${name}`,
    notRead: 'קובץ מצורף לא נקרא.',
    filesOff: 'הקבצים המצורפים לא נקראו: אין כאן כלי לקריאת קבצים.',
  },
} as const
