import { bookNames } from '../titles/book-names.ts'
import { peopleGroups, townGroups } from './people-names.ts'

/** Names of people and works; the rules of `aliases` apply. */
export const nameGroups: readonly (readonly string[])[] = [
  ...peopleGroups,
  ...townGroups,
  // Works
  ...bookNames,
  ['Zohar', 'זהר', 'זוהר', 'זוה"ק'],
  ['Talmud', 'Gemara', 'Gemora', 'גמרא', 'תלמוד', 'ש"ס'],
  ['Psalms', 'Tehillim', 'Tehilim', 'תהלים', 'תהילים'],
  ['Genesis', 'Bereishit', 'Bereshit', 'בראשית'],
  ['Exodus', 'Shemot', 'שמות'],
  ['Leviticus', 'Vayikra', 'ויקרא'],
  ['Deuteronomy', 'Devarim', 'דברים'],
  ['Shulchan Aruch', 'Shulhan Arukh', 'שולחן ערוך', 'שלחן ערוך', 'שו"ע'],
]
