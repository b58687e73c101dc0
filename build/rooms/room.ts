import path from 'node:path'
import { parse } from 'yaml'

/** A room: a folder that its README.md describes, or a file of `src` that `src/README.md` describes. */
export type Room = {
  /** Path relative to `src`, such as `turns/record`, or `app.ts`. */
  readonly name: string
  readonly readme: string
  /** Files that other rooms may import. */
  readonly door: ReadonlySet<string>
}

/**
 * Parses the rooms that a README.md describes: its folder; in `src`, one section per file too. A paragraph
 * that starts with `Door:` lists names in backticks.
 * @param readme path relative to `src`.
 */
export function parseRooms(readme: string, text: string): readonly Room[] {
  const folder = path.posix.dirname(readme)
  if (folder !== '.') return [parseRoom(readme, folder, text)]
  return text
    .split(/\n(?=## )/)
    .slice(1)
    .map((section) => parseRoom(readme, /^## (.*)/.exec(section)?.[1] ?? '', section))
}

function parseRoom(readme: string, name: string, text: string): Room {
  const paragraph = text.split(/\n\s*\n/).find((part) => part.startsWith('Door:')) ?? ''
  const files = [...paragraph.matchAll(/`([^`]+)`/g)].map(([, file = '']) => path.posix.join(name, file))
  return {
    name,
    readme: path.posix.join('src', readme),
    door: new Set(name.endsWith('.ts') ? [name] : files),
  }
}

/** @returns the innermost room that contains a file, if any. */
export function roomOf(rooms: ReadonlyMap<string, Room>, file: string): Room | undefined {
  for (let place = file; place !== '.'; place = path.posix.dirname(place)) {
    const room = rooms.get(place)
    if (room) return room
  }
  return undefined
}

/** What `layers.yaml` says of one part of the house, a room of `src` with the rooms in it. Names are separated by spaces. */
type Layer = {
  /** The rooms in it, `.` for itself. Each may import those before it; rooms joined by `+` may import each other. */
  readonly rooms?: string
  /** Rooms of other parts. */
  readonly imports?: string
  readonly packages?: string
  /** What one of its rooms may import besides. */
  readonly also?: Readonly<Record<string, string>>
}

/** What rooms may import. */
export type Layers = {
  /** Every room that has a place, and every room that a list names. */
  readonly names: ReadonlySet<string>
  mayImport(from: string, to: string): boolean
  mayUse(from: string, packageName: string): boolean
}

const partOf = (room: string): string => room.split('/')[0] ?? room
const namesIn = (list = ''): readonly string[] => list.split(' ').filter((name) => name !== '')

/** @param text of `layers.yaml`. */
export function parseLayers(text: string): Layers {
  const layers = new Map(Object.entries(parse(text) as Readonly<Record<string, Layer>>))
  const places = new Map<string, number>()
  for (const [part, { rooms = '.' }] of layers)
    for (const [place, joined] of namesIn(rooms).entries())
      for (const room of joined.split('+')) places.set(path.posix.join(part, room), place)
  const isAlso = (from: string, name: string): boolean => {
    const part = partOf(from)
    return namesIn(layers.get(part)?.also?.[path.posix.relative(part, from) || '.']).includes(name)
  }
  const listed = [...layers.values()].flatMap(({ imports, also }) => [
    ...namesIn(imports),
    ...Object.values(also ?? {}).flatMap(namesIn),
  ])
  return {
    names: new Set([...places.keys(), ...listed]),
    mayImport: (from, to) =>
      partOf(from) === partOf(to)
        ? (places.get(to) ?? Number.NaN) <= (places.get(from) ?? Number.NaN)
        : namesIn(layers.get(partOf(from))?.imports).includes(to) || isAlso(from, to),
    mayUse: (from, name) => namesIn(layers.get(partOf(from))?.packages).includes(name) || isAlso(from, name),
  }
}
