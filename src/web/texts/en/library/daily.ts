/** The daily portion of a work. */
export const daily = {
  title: 'Daily portion',
  about: 'A chapter of a work each day, in its order. After the last one the first one follows.',
  none: 'No work chosen yet',
  noneHint: 'Open a work of the library and choose “Read a chapter a day”.',
  works: 'See the works',
  of: (number: number, all: number) => `Day ${number} of ${all}`,
  tomorrow: 'Tomorrow',
  since: 'since',
  missing: 'The library no longer has this work, or it begins on a later day.',
  stop: 'Stop reading this work daily',
  start: 'Read a chapter a day',
  link: 'Link to this reading',
  midnight: 'A day begins at midnight where you are.',
}
