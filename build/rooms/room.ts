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

/** What `layers.yaml` says of one part of the house, a room of `src` with the rooms in it. */
type Layer = {
  /** The rooms in it, `.` for itself. Each may import those before it, and those in its own brackets. */
  readonly rooms?: readonly (string | readonly string[])[]
  /** Rooms of other parts. */
  readonly imports?: readonly string[]
  readonly packages?: readonly string[]
  /** What one of its rooms may import besides. */
  readonly also?: Readonly<Record<string, readonly string[]>>
}

/** What rooms may import. */
export type Layers = {
  /** Every room that has a place, and every room that a list names. */
  readonly names: ReadonlySet<string>
  mayImport(from: string, to: string): boolean
  mayUse(from: string, packageName: string): boolean
}

const partOf = (room: string): string => room.split('/')[0] ?? room

/** @param text of `layers.yaml`. */
export function parseLayers(text: string): Layers {
  const layers = new Map(Object.entries(parse(text) as Readonly<Record<string, Layer | null>>))
  const places = new Map<string, number>()
  for (const [part, layer] of layers)
    for (const [place, rooms] of (layer?.rooms ?? ['.']).entries())
      for (const room of [rooms].flat()) places.set(path.posix.join(part, room), place)
  const isAlso = (from: string, name: string): boolean => {
    const part = partOf(from)
    return layers.get(part)?.also?.[path.posix.relative(part, from) || '.']?.includes(name) ?? false
  }
  const listed = [...layers.values()].flatMap((layer) => [
    ...(layer?.imports ?? []),
    ...Object.values(layer?.also ?? {}).flat(),
  ])
  return {
    names: new Set([...places.keys(), ...listed]),
    mayImport: (from, to) =>
      partOf(from) === partOf(to)
        ? (places.get(to) ?? Number.NaN) <= (places.get(from) ?? Number.NaN)
        : (layers.get(partOf(from))?.imports?.includes(to) ?? false) || isAlso(from, to),
    mayUse: (from, name) =>
      (layers.get(partOf(from))?.packages?.includes(name) ?? false) || isAlso(from, name),
  }
}
