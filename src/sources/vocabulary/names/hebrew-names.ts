import { hebrewNames, townsOfPeople } from './people-names.ts'
import { peopleNamed, soundKey } from './person-keys.ts'

/**
 * A person in Hebrew letters; empty when the vocabulary does not know the name, or several people share it.
 * A town after the name tells people of one name apart.
 */
export function hebrewNameOf(name: string): string {
  const whole = peopleNamed(name)
  const people = whole.size > 0 ? [...whole] : peopleOfTown(name)
  const [hebrew = '', ...others] = new Set(people.map((person) => hebrewNames[person] ?? ''))
  return others.length > 0 ? '' : hebrew
}

/** What stands between a name and a town. */
const beforeTown = /,?\s+(?:of|from)\s+|,\s+/g

/** The people of `Yisrael Hopstein of Kozhnitz`: who have the name before the town, and lived there. */
function peopleOfTown(name: string): readonly number[] {
  for (const { 0: between, index } of [...name.matchAll(beforeTown)].reverse()) {
    const place = soundKey(name.slice(index + between.length))
    const livedThere = (person: number) =>
      (townsOfPeople[person] ?? []).some((town) => soundKey(town) === place)
    const people = [...peopleNamed(name.slice(0, index))].filter(livedThere)
    if (people.length > 0) return people
  }
  return []
}
