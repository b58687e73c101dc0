import { medial } from '../../text/fold.ts'
import { readTable } from '../data/table.ts'

/**
 * Towns of masters, in the spellings of Hebrew, Yiddish, Polish and academic books. `en` has them as in `of Berditchev`,
 * `he` without the מ of `מברדיטשוב`; `masters` names the master after the town: `Berditchever`.
 */
const towns = readTable(
  new URL('../data/towns.tsv', import.meta.url),
  { id: 'text', en: 'list', he: 'list', masters: 'list?' },
  'id',
)

type Town = (typeof towns)[number]

const townById = new Map(towns.map((town) => [town.id, town]))

/**
 * People with their full names in both scripts, without `Rabbi`. The first name is the key in the index and must not
 * change. `given` are names, or a title such as `Maggid`, that name the person together with a town. With `master`, the
 * town alone names the person: `the Kotzker`, `the Rebbe of Kotzk`.
 */
const people = readTable(new URL('../data/people.tsv', import.meta.url), {
  names: 'list',
  given: 'list?',
  towns: [...townById.keys()],
  master: ['master'],
}).map((person) => ({ ...person, places: person.towns.flatMap((id) => townById.get(id) ?? []) }))

type Person = (typeof people)[number]

const hebrew = /[א-ת]/

/**
 * Minimum letters of a town from which names of people are made. `Vorka` would make `Vorker`, which sounds like
 * `worker`.
 */
const shortestForTownsman = { he: 4, en: 6 }

/** Titles that stand for each other before the name of a master. */
const titles = [
  ['Reb', 'Rebbe'],
  ['רבי', "ר'"],
] as const

/** All names of each person, in both scripts. The first one is the key in the index. */
export const peopleGroups: readonly (readonly string[])[] = people.map(namesOf)

/** One Hebrew name of each person: the given name with the town, `נחמן מברסלב`; empty where none is listed. */
export const hebrewNames: readonly string[] = people.map(({ names, given, places: [town] }) => {
  const [name, of] = [given, town?.he ?? []].map(firstHebrew)
  return name && of ? `${name} מ${of}` : firstHebrew(names)
})

/** The names of the towns of each person, in both scripts. */
export const townsOfPeople: readonly (readonly string[])[] = people.map(({ places }) =>
  places.flatMap(({ en, he }) => [...en, ...he]),
)

function firstHebrew(names: readonly string[]): string {
  return names.find((name) => hebrew.test(name)) ?? ''
}

/** Minimum letters of a town. Shorter names are also other words: `Apt`, `גור`. */
const shortestTown = { he: 4, en: 5 }

/** Towns that are also ordinary Hebrew words, or forms of one. */
const alsoWords: ReadonlySet<string> = new Set(['קורץ', 'סברן', 'ורקה'])

/** Spellings of each town. A query for `Berdichev` finds texts about it and its masters in any spelling. */
export const townGroups: readonly (readonly string[])[] = towns
  .map(({ en, he }) =>
    [...new Set([...en, ...he])].filter(
      (name) => name.length >= shortestTown[hebrew.test(name) ? 'he' : 'en'] && !alsoWords.has(name),
    ),
  )
  .filter((names) => names.length > 0)

function namesOf(person: Person): readonly string[] {
  const composed = person.places.flatMap((town) => [
    ...person.given.flatMap((given) => withTown(given, town)),
    ...(person.master.length > 0 ? mastersOf(town) : []),
  ])
  return [...new Set([...person.names.flatMap(withTitles), ...composed])]
}

/** A name with each title that may replace its own: `Reb Zusha`, `Rebbe Zusha`. */
function withTitles(name: string): readonly string[] {
  const [title = '', ...words] = name.split(' ')
  const others = titles.find((some) => some.some((one) => one === title))
  return others && words.length > 0 ? [name, ...others.map((other) => [other, ...words].join(' '))] : [name]
}

/**
 * Yiddish names of a person after a town: the listed names, and `Koretzer` and `קאריצער` formed from each spelling.
 */
function townsmen({ en, he, masters }: Town): readonly string[] {
  // The ending replaces the last vowel of the town.
  const latin = en
    .filter((place) => place.length >= shortestForTownsman.en)
    .map((place) => `${place.replace(/[aeiou]$/, '')}er`)
  const yiddish = inYiddish(he)
    .filter((place) => place.length >= shortestForTownsman.he)
    .map((place) => `${medial(place.replace(/[אהיע]$/, ''))}ער`)
  return [...new Set([...masters, ...latin, ...yiddish])]
}

/** The spellings of a town with its Yiddish ending: `נעמיראוו` for `נעמירוב`. */
function inYiddish(he: readonly string[]): readonly string[] {
  return he.flatMap((place) => (place.endsWith('וב') ? [place, place.replace(/וב$/, 'אוו')] : [place]))
}

/**
 * Names with a town: `Levi Yitzchak of Berditchev`, `Levi Yitzchak Berditchever`, `לוי יצחק מברדיטשוב`, `לוי יצחק פון
 * באַרדיטשעוו`.
 */
function withTown(given: string, town: Town): readonly string[] {
  const isHebrew = hebrew.test(given)
  const after = isHebrew
    ? inYiddish(town.he).flatMap((place) => [`מ${place}`, `פון ${place}`])
    : town.en.map((place) => `of ${place}`)
  const named = townsmen(town).filter((name) => hebrew.test(name) === isHebrew)
  return [...after, ...named].map((end) => `${given} ${end}`)
}

/** Names of the master of a town, without his own name: `the Kotzker`, `Rebbe of Kotzk`, `הרבי מקוצק`. */
function mastersOf(town: Town): readonly string[] {
  const { en, he } = town
  return [
    ...townsmen(town),
    ...townsmen(town).map((name) => `${name} ${hebrew.test(name) ? 'רבי' : 'Rebbe'}`),
    ...en.flatMap((place) => [`Rebbe of ${place}`, `${place} Rebbe`]),
    ...he.flatMap((place) => [`רבי מ${place}`, `אדמו"ר מ${place}`]),
  ]
}
