import type { Messages } from '../../grammar/translate.ts'
import { libraryMessages } from '../library/index.ts'
import { fieldMessages } from './field-messages.ts'
import { fileMessages } from './file-messages.ts'

/** Messages about accounts, keys, credits, limits and fields, by their English text in the code that writes them. */
const accountMessages: Messages = {
  'Only owners of this account can do this. Ask one of them.':
    'רק בעלים של החשבון הזה יכולים לעשות זאת. אפשר לפנות אליהם.',
  'Only owners and admins of this account can do this. Ask one of them.':
    'רק בעלים ומנהלים של החשבון הזה יכולים לעשות זאת. אפשר לפנות אליהם.',
  'As a viewer of this account you can read, and change nothing. Ask an owner or admin for another role.':
    'צופה בחשבון הזה יכול לקרוא, ואינו יכול לשנות דבר. אפשר לבקש תפקיד אחר מבעלים או ממנהל.',
  'You can no longer act for the account that you acted for. From now on you act for your own account.':
    'אי אפשר עוד לפעול בשם החשבון הקודם. מעתה הפעולות הן בחשבון שלך.',
  'Only an owner of the account can do this with an owner.': 'רק בעלים של החשבון יכול לעשות זאת לבעלים אחר.',
  'The person of the account is always its owner, and cannot be changed or removed.':
    'מי שהחשבון שלו הוא תמיד הבעלים, ואי אפשר לשנות או להסיר אותו.',
  'Your role in this account cannot give keys the scope "{scope}".':
    'התפקיד שלך בחשבון הזה אינו מאפשר לתת למפתחות את ההרשאה ”{scope}”.',
  '{email} is a member of the account already.': '{email} כבר חבר בחשבון.',
  'An account has at most {max} members and open invitations. Remove one first.':
    'לחשבון יש לכל היותר {max} חברים והזמנות פתוחות. יש להסיר אחד קודם.',
  'This invitation is for {email}. Sign in with the account of this address.':
    'ההזמנה הזאת היא עבור {email}. יש להיכנס עם החשבון של הכתובת הזאת.',
  'You are a member of this account already.': 'כבר הצטרפת לחשבון הזה.',
  'This invitation does not work: it was used, revoked or has expired. Ask for a new one.':
    'ההזמנה אינה פועלת: היא נוצלה, בוטלה או שפג תוקפה. אפשר לבקש הזמנה חדשה.',
  'The e-mail address or the password is wrong. Check both.':
    'כתובת הדואר או הסיסמה שגויה. כדאי לבדוק את שתיהן.',
  '"{label}" cannot be reached at the moment. Try again later, or sign in another way.':
    'אי אפשר להגיע כעת אל ”{label}”. אפשר לנסות שוב מאוחר יותר או להיכנס בדרך אחרת.',
  'The sign-in at "{label}" was refused. Try again.': 'הכניסה באמצעות ”{label}” נדחתה. אפשר לנסות שוב.',
  'The sign-in at "{label}" failed. Try again, or sign in another way.':
    'הכניסה באמצעות ”{label}” נכשלה. אפשר לנסות שוב או להיכנס בדרך אחרת.',
  'This is the only way to sign in. Set a password first.': 'זו הדרך היחידה להיכנס. יש לקבוע סיסמה קודם.',
  'Sign in again to show that it is you, then repeat this within {min} minutes.':
    'יש להיכנס מחדש כדי לאשר את הזהות, ולחזור על הפעולה תוך {min} דקות.',
  'This person at "{label}" signs in to another account.': 'המשתמש הזה של ”{label}” מחובר לחשבון אחר.',
  'An account for {email} exists already. Sign in to it, then connect "{label}" in its settings.':
    'כבר יש חשבון לכתובת {email}. אפשר להיכנס אליו ולחבר את ”{label}” בהגדרות.',
  'There is no account here for this person at "{label}". Ask the operator of this service for one.':
    'אין כאן חשבון למשתמש הזה של ”{label}”. אפשר לבקש חשבון ממפעיל השירות.',
  '"{label}" does not say that your e-mail address is verified.':
    '”{label}” אינו מאשר שכתובת הדואר שלך אומתה.',
  'Only verified addresses of {domains} may sign in by "{label}".':
    'רק כתובות מאומתות של {domains} יכולות להיכנס באמצעות ”{label}”.',
  'Only addresses of {domains} can have an account here.': 'רק לכתובות של {domains} יכול להיות כאן חשבון.',
  'The passkey was not accepted. Try again.': 'מפתח הגישה לא התקבל. אפשר לנסות שוב.',
  'An account has at most {max} passkeys. Remove one first.':
    'לחשבון יש לכל היותר {max} מפתחות גישה. יש להסיר אחד קודם.',
  'This sign-in took too long or had too many wrong codes. Sign in again.':
    'הכניסה ארכה זמן רב מדי או שהיו בה יותר מדי קודים שגויים. יש להיכנס שוב.',
  'This code is wrong or was used. Enter a new one.': 'הקוד שגוי או שכבר השתמשו בו. יש להזין קוד חדש.',
  'The account has an authenticator app already. Remove it first.':
    'כבר יש לחשבון אפליקציית אימות. יש להסיר אותה קודם.',
  'This is not your current password. Type it again.': 'זו אינה הסיסמה הנוכחית. יש להקליד אותה שוב.',
  'This account is suspended. Ask the operator of this service to resume it.':
    'החשבון מושעה. אפשר לבקש ממפעיל השירות לבטל את ההשעיה.',
  'An account for {email} exists already. Use another address.':
    'כבר יש חשבון לכתובת {email}. אפשר להשתמש בכתובת אחרת.',
  'There is no account for {email}. Check the address.': 'אין חשבון לכתובת {email}. כדאי לבדוק את הכתובת.',
  'There is no such account. Check its id.': 'אין חשבון כזה. כדאי לבדוק את המזהה.',
  'There is no such account.': 'אין חשבון כזה.',
  '"{email}" is not an e-mail address. Write it as name@example.org.':
    '”{email}” אינה כתובת דואר. כותבים אותה כך: name@example.org.',
  'The e-mail address has characters that cannot be seen. Write it again.':
    'יש בכתובת הדואר תווים שאינם נראים. יש לכתוב אותה שוב.',
  '"{email}" is not an e-mail address that can be reached. Give another one.':
    'אי אפשר לשלוח דואר לכתובת ”{email}”. יש להזין כתובת אחרת.',
  'There is no plan "{plan}". Use one of: {plans}.': 'אין תוכנית ”{plan}”. אלה התוכניות: {plans}.',
  'A turn of this account has not ended. Suspend the account first, or wait for the end.':
    'יש בחשבון שאלה שהטיפול בה לא הסתיים. יש להשעות את החשבון קודם, או להמתין לסיום.',
  'This account is under a legal hold, so nothing in it can be deleted. Ask the operator of this service.':
    'החשבון נמצא בשימור משפטי, ולכן אי אפשר למחוק בו דבר. אפשר לפנות אל מפעיל השירות.',
  'The owner has closed this account. Take the deletion back first, then suspend it.':
    'בעל החשבון סגר אותו. יש לבטל קודם את המחיקה, ואחר כך להשעות.',
  'A legal hold needs a reason of at most {max} characters.': 'לשימור משפטי דרושה סיבה של עד {max} תווים.',
  '{running} exports are running and {queued} are queued, which is the maximum. Try again in {seconds} s.':
    'כבר מתבצעת הורדה של הנתונים. אפשר לנסות שוב בעוד {seconds} שניות.',
  'This link does not work: it was used, replaced or has expired. Ask for a new one.':
    'הקישור אינו פועל: נעשה בו שימוש, הוא הוחלף או שפג תוקפו. אפשר לבקש קישור חדש.',
  'This link does not work: it was used, replaced or has expired. Ask the operator of this service for a new link.':
    'הקישור אינו פועל: כבר השתמשו בו, הוא הוחלף או שתוקפו פג. אפשר לבקש ממפעיל השירות קישור חדש.',
  'Too many people are signing in. Try again in a few seconds.':
    'יותר מדי אנשים נכנסים כעת. אפשר לנסות שוב בעוד כמה שניות.',
  'A password has at least {min} characters. A few words in a row make a good one.':
    'בסיסמה יש לפחות {min} תווים. כמה מילים ברצף הן סיסמה טובה.',
  'A password has at most {max} characters.': 'בסיסמה יש לכל היותר {max} תווים.',
  'Too easy to guess. A few unrelated words make a good password.':
    'זו אחת הסיסמאות הראשונות שמנחשים. כמה מילים שאין ביניהן קשר הן סיסמה טובה יותר.',
  'Too many sign-in attempts from your address. Try again in {min} min.':
    'יותר מדי ניסיונות כניסה מהכתובת שלך. אפשר לנסות שוב בעוד {min} דקות.',
  'Too many wrong passwords or codes for this account. Try again in {min} min. Or use a browser that has signed in to this account before.':
    'יותר מדי סיסמאות או קודים שגויים לחשבון הזה. אפשר לנסות שוב בעוד {min} דקות, או להשתמש בדפדפן שכבר נכנס לחשבון בעבר.',
  'Too many new accounts from your address. Try again in {min} min.':
    'יותר מדי חשבונות חדשים מהכתובת שלך. אפשר לנסות שוב בעוד {min} דקות.',
  'Too many attempts to create an account from your address. Try again in {min} min.':
    'יותר מדי ניסיונות ליצור חשבון מהכתובת שלך. אפשר לנסות שוב בעוד {min} דקות.',
  'Too many requests for password reset links from your address. Try again in {min} min.':
    'יותר מדי בקשות לקישור לאיפוס סיסמה מהכתובת שלך. אפשר לנסות שוב בעוד {min} דקות.',
  'The name in `{param}` has control characters, such as line breaks. Remove them.':
    'יש בשם תווי בקרה, כגון מעברי שורה. יש להסיר אותם.',
  'The name in `{param}` shows nothing. Give it letters or digits.':
    'אין בשם דבר שרואים. יש לכתוב בו אותיות או ספרות.',
  'A key needs a name of 1 to 100 characters.': 'למפתח דרוש שם באורך של 1 עד 100 תווים.',
  '`{setting}`: "{text}" is not an amount of credits. Write it as 2.5, or leave it empty.':
    'הערך ”{text}” אינו סכום של קרדיטים (`{setting}`). כותבים למשל 2.5, או משאירים ריק.',
  '`{setting}`: "{text}" is not a whole number from 1 to {max}. Change it, or leave it empty.':
    'הערך ”{text}” אינו מספר שלם מ־1 עד {max} (`{setting}`). אפשר לשנות אותו או להשאיר ריק.',
  '`{setting}`: "{text}" is not one of: {values}. Choose one, or leave it empty.':
    'הערך ”{text}” אינו אחד מאלה: {values} (`{setting}`). אפשר לבחור אחד מהם או להשאיר ריק.',
  '`{setting}`: It must be above 0. Change it, or leave it empty.':
    'הערך צריך להיות גדול מאפס (`{setting}`). אפשר לשנות אותו או להשאיר ריק.',
  'The expiry is in the past. Give a later time.': 'התוקף כבר עבר. יש לבחור מועד מאוחר יותר.',
  'This form has created a key already. Open a new form.': 'הטופס הזה כבר יצר מפתח. יש לפתוח טופס חדש.',
  'There is no scope "{scope}". Use some of: {scopes}.': 'אין הרשאה ”{scope}”. אלה ההרשאות: {scopes}.',
  'The scope "{scope}" needs an owner-wide key. Leave the scope out, or create an owner-wide key.':
    'ההרשאה ”{scope}” מחייבת מפתח שיש לו גישה לכל הפרויקטים. אפשר לוותר על ההרשאה, או ליצור מפתח כזה.',
  'The moderation of this service does not allow this message. Change it. Nothing was charged.':
    'הבקרה של השירות אינה מתירה את ההודעה הזאת. אפשר לשנות אותה. לא נגבה דבר.',
  'The moderation of this service does not answer. Try again in a few seconds.':
    'הבקרה של השירות אינה עונה. אפשר לנסות שוב בעוד כמה שניות.',
  'An account has at most {max} webhook endpoints. Delete one.':
    'לחשבון יש לכל היותר {max} כתובות להודעות. יש למחוק אחת.',
  'The API has no such operation or object.': 'אין ב־API פעולה כזאת או עצם כזה.',
  'The account has no project "{project}". Check the id.':
    'אין בחשבון פרויקט ”{project}”. כדאי לבדוק את המזהה.',
  'The plan "{plan}" of this account does not include the API. Change to a plan that does.':
    'התוכנית ”{plan}” של החשבון אינה כוללת את ה־API. יש לעבור לתוכנית שכוללת אותו.',
  'The account changed after this form was opened. Check its credits, and send the form again if the change is still wanted.':
    'החשבון השתנה אחרי שהטופס נפתח. כדאי לבדוק את היתרות, ולשלוח את הטופס שוב אם השינוי עדיין רצוי.',
  'The account has {available} credits available, so nothing was taken back. Give a smaller amount, or "all".':
    'בחשבון זמינים {available} קרדיטים, ולכן לא נגרע דבר. יש להזין סכום קטן יותר, או ”all”.',
  'Enter credits as a number above zero with at most six decimals, such as 250 or 0.5.':
    'יש להזין מספר גדול מאפס, עם שש ספרות לכל היותר אחרי הנקודה, כגון 250 או 0.5.',
  'The e-mail address does not match the account. Nothing was deleted.':
    'כתובת הדואר אינה תואמת את החשבון. דבר לא נמחק.',
  'This is your own account. Another operator can do this.': 'זה החשבון שלך. מפעיל אחר יכול לעשות זאת.',
  "The turn needs a hold of {credits} credits, but the account has {available}. Add credits, or wait for the plan's allowance on {day} (UTC).":
    'לשאלה דרושים {credits} קרדיטים, ובחשבון יש {available}. אפשר להוסיף קרדיטים, או להמתין למכסה שתתקבל ב־{day} (UTC).',
  'Too many turns of this session are queued. Wait for one to end.':
    'יותר מדי שאלות ממתינות בשיחה הזאת. יש להמתין לסיומה של אחת מהן.',
  'The turn has not ended. Cancel it, or wait for its end.':
    'הטיפול בשאלה לא הסתיים. אפשר לעצור אותו, או להמתין לסיומו.',
  'A turn of this session has not ended. Cancel it, or wait for its end.':
    'הטיפול בשאלה בשיחה הזאת לא הסתיים. אפשר לעצור אותו, או להמתין לסיומו.',
  'A turn in this project has not ended. Cancel it or wait for its end, then delete the project.':
    'הטיפול בשאלה בפרויקט הזה לא הסתיים. יש לעצור אותו או להמתין לסיומו, ואז למחוק את הפרויקט.',
  'The plan "{plan}" allows {turns} turns per minute. Try again in {seconds} s.':
    'התוכנית ”{plan}” מאפשרת {turns} שאלות בדקה. אפשר לנסות שוב בעוד {seconds} שניות.',
  'Your account may load {pages} pages per minute. Try again in {seconds} s.':
    'אפשר לפתוח בחשבון {pages} דפים בדקה. אפשר לנסות שוב בעוד {seconds} שניות.',
  'The plan "{plan}" allows {requests} requests per minute. Try again in {seconds} s.':
    'התוכנית ”{plan}” מאפשרת {requests} בקשות בדקה. אפשר לנסות שוב בעוד {seconds} שניות.',
  'One answer at a time on the plan "{plan}". Wait for an answer to end.':
    'תשובה אחת בכל פעם בתוכנית ”{plan}”. יש להמתין לסיום התשובה.',
  'The plan "{plan}" allows {turns} concurrent turns. Wait for an answer to end.':
    'התוכנית ”{plan}” מאפשרת {turns} שאלות בו־זמנית. יש להמתין לסיומה של תשובה.',
  'The service takes no new turns now. Try again in a few seconds.':
    'השירות אינו מקבל כעת שאלות חדשות. אפשר לנסות שוב בעוד כמה שניות.',
  'The service is shutting down. Send the request again.': 'השירות נסגר כעת. יש לשלוח את הבקשה שוב.',
  'The connection was closed before the turn started, so no turn was started. Send the request again.':
    'החיבור נותק לפני שהשאלה נקלטה. יש לשלוח אותה שוב.',
  'There is no model "{model}". Use one of: {models}.': 'אין מודל ”{model}”. אלה המודלים: {models}.',
  'The limit of {number} searches per minute from your address is reached. Try again in {seconds} s.':
    'הגעת למגבלה של {number} חיפושים בדקה מהכתובת שלך. אפשר לנסות שוב בעוד {seconds} שניות.',
  'The limit of {number} pages per minute from your address is reached. Try again in {seconds} s.':
    'הגעת למגבלה של {number} דפים בדקה מהכתובת שלך. אפשר לנסות שוב בעוד {seconds} שניות.',
  '{running} searches are running and {queued} are queued, which is the maximum. Try again in {seconds} s.':
    '{running} חיפושים בעבודה ו־{queued} ממתינים, וזה המרב. אפשר לנסות שוב בעוד {seconds} שניות.',
  '{running} pages of conversations are running and {queued} are queued, which is the maximum. Try again in {seconds} s.':
    '{running} דפי שיחה בהכנה ו־{queued} ממתינים, וזה המרב. אפשר לנסות שוב בעוד {seconds} שניות.',
  'The plan "{plan}" stores {size} of items that were added to conversations. Delete conversations or items to make room.':
    'התכנית "{plan}" שומרת {size} של פריטים שנוספו לשיחות. אפשר למחוק שיחות או פריטים כדי לפנות מקום.',
  '{running} files are running and {queued} are queued, which is the maximum. Try again in {seconds} s.':
    '{running} קבצים בהכנה ו־{queued} ממתינים, וזה המרב. אפשר לנסות שוב בעוד {seconds} שניות.',
  'This form was not sent from a page of this service. Open the page again and send it from there.':
    'הטופס לא נשלח מדף של השירות. יש לפתוח את הדף שוב ולשלוח משם.',
  'A field contains the NUL character. Remove it.': 'באחד השדות יש תו NUL. יש להסיר אותו.',
  'The form may have at most {max} fields.': 'בטופס יכולים להיות לכל היותר {max} שדות.',
  'Enter a name for the project.': 'יש להזין שם לפרויקט.',
  'The instructions are too long: at most 8,000 characters.': 'ההנחיות ארוכות מדי: לכל היותר 8,000 תווים.',
  'The name is too long: at most 200 characters.': 'השם ארוך מדי: לכל היותר 200 תווים.',
  'Write a question first.': 'יש לכתוב שאלה תחילה.',
  'The question has more than {characters} characters. Shorten it, or attach the text as a file.':
    'בשאלה יותר מ־{characters} תווים. יש לקצר אותה, או לצרף את הטקסט כקובץ.',
  'The library has no such work.': 'הספר הזה אינו בספרייה.',
}

export const messages: Messages = {
  ...accountMessages,
  ...fieldMessages,
  ...fileMessages,
  // What the agent does during a turn
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
  ...libraryMessages,
}
