import { html } from 'hono/html'

export type Language = 'en' | 'he'

/** A letter before it is addressed. */
export type Letter = {
  readonly language: Language
  readonly subject: string
  readonly paragraphs: readonly string[]
  /** What the reader is asked to open. */
  readonly link?: { readonly label: string; readonly url: string }
}

/** The link of a letter, and how long it works. */
type Linked = { readonly url: string; readonly hours: number }

/** Amounts are credits, as texts. */
type ReachedBudget = {
  readonly scope: 'key' | 'project' | 'account'
  readonly name: string
  readonly period: 'day' | 'month' | 'total'
  readonly percent: number
  readonly spent: string
  readonly limit: string
  readonly url: string
}

type Texts = {
  readonly confirmAddress: (product: string, link: Linked) => Omit<Letter, 'language'>
  readonly addressTaken: (product: string, link: Linked) => Omit<Letter, 'language'>
  readonly newPassword: (product: string, link: Linked) => Omit<Letter, 'language'>
  readonly newAddress: (product: string, link: Linked) => Omit<Letter, 'language'>
  readonly addressChanged: (product: string) => Omit<Letter, 'language'>
  readonly signedIn: (
    product: string,
    from: { readonly address: string; readonly at: Date },
  ) => Omit<Letter, 'language'>
  readonly invitation: (
    product: string,
    to: { readonly account: string; readonly from: string; readonly url: string; readonly days: number },
  ) => Omit<Letter, 'language'>
  readonly lowCredits: (
    product: string,
    left: { readonly credits: string; readonly url: string },
  ) => Omit<Letter, 'language'>
  readonly budgetReached: (product: string, budget: ReachedBudget) => Omit<Letter, 'language'>
  readonly keyExpiring: (
    product: string,
    key: { readonly name: string; readonly prefix: string; readonly at: Date; readonly url: string },
  ) => Omit<Letter, 'language'>
}

const instant = (language: Language, at: Date) =>
  `${new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(at)} UTC`

const english: Texts = {
  confirmAddress: (product, { url, hours }) => ({
    subject: `Confirm your address for ${product}`,
    paragraphs: [
      `Somebody, probably you, is creating an account for ${product} with this address.`,
      `The link works once, for ${hours} hours. If it was not you, do nothing: there will be no account.`,
    ],
    link: { label: 'Confirm the address', url },
  }),
  addressTaken: (product, { url, hours }) => ({
    subject: `You have an account for ${product}`,
    paragraphs: [
      `Somebody, probably you, tried to create an account for ${product} with this address. It has one already.`,
      `If you have forgotten the password, set a new one. The link works once, for ${hours} hours.`,
    ],
    link: { label: 'Set a new password', url },
  }),
  newPassword: (product, { url, hours }) => ({
    subject: `A new password for ${product}`,
    paragraphs: [
      `Somebody, probably you, asked for a new password for the account of ${product} with this address.`,
      `The link works once, for ${hours} hours. If it was not you, do nothing: the password stays.`,
    ],
    link: { label: 'Set a new password', url },
  }),
  newAddress: (product, { url, hours }) => ({
    subject: `Confirm your new address for ${product}`,
    paragraphs: [
      `An account of ${product} is to have this address from now on.`,
      `The link works once, for ${hours} hours. If it was not you, do nothing.`,
    ],
    link: { label: 'Use this address', url },
  }),
  addressChanged: (product) => ({
    subject: `Your account of ${product} has another address`,
    paragraphs: [
      `This address no longer belongs to your account of ${product}. Letters go to the new one.`,
      'If it was not you, tell the operator of the service at once.',
    ],
  }),
  signedIn: (product, { address, at }) => ({
    subject: `A new browser signed in to ${product}`,
    paragraphs: [
      `A browser that was not known signed in to your account, from ${address}, on ${instant('en', at)}.`,
      'If it was not you, change the password: that signs all browsers out.',
    ],
  }),
  invitation: (product, { account, from, url, days }) => ({
    subject: `${from} invites you to an account of ${product}`,
    paragraphs: [
      `${from} invites you to act for the account ${account} of ${product}.`,
      `The link works once, for ${days} days, with this address. If you do not want it, do nothing.`,
    ],
    link: { label: 'See the invitation', url },
  }),
  lowCredits: (product, { credits, url }) => ({
    subject: `Few credits left for ${product}`,
    paragraphs: [`Your account has ${credits} credits left, less than a tenth of a month's allowance.`],
    link: { label: 'See the usage', url },
  }),
  budgetReached: (product, { scope, name, period, percent, spent, limit, url }) => {
    const of = { key: `the key “${name}”`, project: `the project “${name}”`, account: 'your account' }[scope]
    const span = { day: 'today', month: 'this month', total: 'in all' }[period]
    const refused = scope === 'key' && percent === 100
    return {
      subject: `${percent} % of a budget for ${product} is spent`,
      paragraphs: [
        `${of.charAt(0).toUpperCase()}${of.slice(1)} has spent ${spent} of ${limit} credits ${span}.`,
        ...(refused ? ['Requests with this key are refused until the cap allows them again.'] : []),
      ],
      link: { label: 'See the usage', url },
    }
  },
  keyExpiring: (product, { name, prefix, at, url }) => ({
    subject: `An API key for ${product} expires soon`,
    paragraphs: [
      `The key “${name}” (${prefix}…) expires on ${instant('en', at)}. Requests with it are refused from then on.`,
    ],
    link: { label: 'Replace the key', url },
  }),
}

const hebrew: Texts = {
  confirmAddress: (product, { url, hours }) => ({
    subject: `אישור הכתובת עבור ${product}`,
    paragraphs: [
      `מישהו, כנראה אתם, יוצר חשבון של ${product} עם הכתובת הזאת.`,
      `הקישור פועל פעם אחת, במשך ${hours} שעות. אם לא אתם ביקשתם, אין צורך לעשות דבר: לא ייווצר חשבון.`,
    ],
    link: { label: 'אישור הכתובת', url },
  }),
  addressTaken: (product, { url, hours }) => ({
    subject: `כבר יש לכם חשבון של ${product}`,
    paragraphs: [
      `מישהו, כנראה אתם, ניסה ליצור חשבון של ${product} עם הכתובת הזאת. כבר יש לה חשבון.`,
      `אם שכחתם את הסיסמה, אפשר לקבוע חדשה. הקישור פועל פעם אחת, במשך ${hours} שעות.`,
    ],
    link: { label: 'קביעת סיסמה חדשה', url },
  }),
  newPassword: (product, { url, hours }) => ({
    subject: `סיסמה חדשה עבור ${product}`,
    paragraphs: [
      `מישהו, כנראה אתם, ביקש סיסמה חדשה לחשבון של ${product} עם הכתובת הזאת.`,
      `הקישור פועל פעם אחת, במשך ${hours} שעות. אם לא אתם ביקשתם, אין צורך לעשות דבר: הסיסמה נשארת.`,
    ],
    link: { label: 'קביעת סיסמה חדשה', url },
  }),
  newAddress: (product, { url, hours }) => ({
    subject: `אישור הכתובת החדשה עבור ${product}`,
    paragraphs: [
      `מעתה תהיה זו הכתובת של חשבון של ${product}.`,
      `הקישור פועל פעם אחת, במשך ${hours} שעות. אם לא אתם ביקשתם, אין צורך לעשות דבר.`,
    ],
    link: { label: 'שימוש בכתובת הזאת', url },
  }),
  addressChanged: (product) => ({
    subject: `לחשבון שלכם ב־${product} יש כתובת אחרת`,
    paragraphs: [
      `הכתובת הזאת אינה שייכת עוד לחשבון שלכם ב־${product}. מכתבים יישלחו אל הכתובת החדשה.`,
      'אם לא אתם עשיתם זאת, הודיעו מיד למפעיל השירות.',
    ],
  }),
  signedIn: (product, { address, at }) => ({
    subject: `כניסה מדפדפן חדש אל ${product}`,
    paragraphs: [
      `דפדפן שלא היה מוכר נכנס לחשבון שלכם, מהכתובת ${address}, ב־${instant('he', at)}.`,
      'אם לא אתם נכנסתם, החליפו את הסיסמה: כל הדפדפנים ינותקו.',
    ],
  }),
  invitation: (product, { account, from, url, days }) => ({
    subject: `הזמנה מאת ${from} לחשבון של ${product}`,
    paragraphs: [
      `קיבלת הזמנה מאת ${from} לפעול בשם החשבון ${account} של ${product}.`,
      `הקישור פועל פעם אחת, במשך ${days} ימים, עם הכתובת הזאת. אם אין בכך רצון, אין צורך לעשות דבר.`,
    ],
    link: { label: 'לעמוד ההזמנה', url },
  }),
  lowCredits: (product, { credits, url }) => ({
    subject: `נותרו מעט קרדיטים ב־${product}`,
    paragraphs: [`בחשבון נותרו ${credits} קרדיטים, פחות מעשירית מהקצבה של חודש.`],
    link: { label: 'לעמוד השימוש', url },
  }),
  budgetReached: (product, { scope, name, period, percent, spent, limit, url }) => {
    const of = { key: `המפתח ”${name}”`, project: `הפרויקט ”${name}”`, account: 'החשבון' }[scope]
    const span = { day: 'היום', month: 'החודש', total: 'בסך הכול' }[period]
    const refused = scope === 'key' && percent === 100
    return {
      subject: `נוצלו ${percent}% מתקציב של ${product}`,
      paragraphs: [
        `${of}: נוצלו ${spent} מתוך ${limit} קרדיטים ${span}.`,
        ...(refused ? ['בקשות עם המפתח הזה יסורבו עד שהמגבלה תאפשר אותן שוב.'] : []),
      ],
      link: { label: 'לעמוד השימוש', url },
    }
  },
  keyExpiring: (product, { name, prefix, at, url }) => ({
    subject: `תוקפו של מפתח API של ${product} עומד לפוג`,
    paragraphs: [`תוקף המפתח ”${name}” (${prefix}…) פג ב־${instant('he', at)}. מאז יסורבו בקשות איתו.`],
    link: { label: 'החלפת המפתח', url },
  }),
}

const texts: Readonly<Record<Language, Texts>> = { en: english, he: hebrew }

export type LetterKind = keyof Texts

/** Writes a letter in a language. @param facts what the letter is about, after the name of the product. */
export function letter<K extends LetterKind>(
  kind: K,
  language: Language,
  product: string,
  ...facts: Parameters<Texts[K]> extends [string, ...infer Rest] ? Rest : never
): Letter {
  const write = texts[language][kind] as (product: string, ...rest: unknown[]) => Omit<Letter, 'language'>
  return { language, ...write(product, ...facts) }
}

/** The letter as plain text. */
export function plainLetter({ paragraphs, link }: Letter): string {
  return [...paragraphs, ...(link ? [`${link.label}:\n${link.url}`] : [])].join('\n\n')
}

/** The letter as HTML. All texts are escaped. */
export function htmlLetter({ language, subject, paragraphs, link }: Letter): string {
  const direction = language === 'he' ? 'rtl' : 'ltr'
  const button = link
    ? html`<p><a href="${link.url}" style="display:inline-block;padding:10px 18px;background:#7a2e1d;color:#fff;border-radius:6px;text-decoration:none">${link.label}</a></p>
<p style="color:#6d675e;font-size:13px" dir="ltr">${link.url}</p>`
    : ''
  return String(html`<!doctype html>
<html lang="${language}" dir="${direction}"><head><meta charset="utf-8"><title>${subject}</title></head>
<body style="font:16px/1.5 sans-serif;color:#222;max-width:36em;margin:1.5em auto;padding:0 1em">
${paragraphs.map((text) => html`<p>${text}</p>`)}${button}</body></html>`)
}
