import type { Collection } from './collection.ts'
import { tanyaWork } from './tanya.ts'

export const chabad: Collection = {
  name: 'chabad',
  title: { en: 'Chabad', he: 'חב״ד' },
  description: {
    en: 'The Tanya, Torah Ohr and Likkutei Torah, and works of the next two generations of Chabad.',
    he: 'תניא, תורה אור ולקוטי תורה, ומספרי שני הדורות הבאים של חב״ד.',
  },
  works: [
    tanyaWork,
    { title: 'Torah Ohr', heTitle: 'תורה אור', formerTitles: ['Torah Or'] },
    { title: 'Likkutei Torah', heTitle: 'לקוטי תורה', formerTitles: ['Likutei Torah'] },
    {
      title: "Kuntres HaHitpa'alut",
      heTitle: 'קונטרס ההתפעלות',
      formerTitles: ['Kuntres HaHitpaalut', 'Tract on Ecstasy'],
    },
    { title: 'The Gate of Unity', heTitle: 'שער היחוד', formerTitles: ["Sha'ar HaYichud"] },
    {
      title: 'Derekh Mitzvotekha',
      heTitle: 'דרך מצותיך',
      formerTitles: ['Derech Mitzvotecha', 'Derekh Mitzvotecha'],
    },
  ],
  languages: ['he', 'en'],
  licenses: ['CC-BY-NC', 'CC0', 'CC-BY', 'unknown'],
}
