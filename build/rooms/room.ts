import path from 'node:path'

/** What a README.md says of a folder, or that of `src` of one file beside it. Paths are relative to `src`. */
export type Room = {
  /** Such as `turns/recording`, or `app.ts`. */
  readonly name: string
  readonly readme: string
  /** The files that other rooms may import. */
  readonly door: ReadonlySet<string>
  /** The rooms that its files may import. */
  readonly mayImport: ReadonlySet<string>
  readonly packages: ReadonlySet<string>
}

/**
 * The rooms that a README.md describes. That of a folder describes the folder; that of `src` has a section for each
 * file beside it. A paragraph that begins with `Door:`, `May import:` or `Packages:` lists names in backticks.
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
  const isFile = name.endsWith('.ts')
  const door = isFile ? [name] : namesAfter('Door:', text).map((file) => path.posix.join(name, file))
  return {
    name,
    readme: path.posix.join('src', readme),
    door: new Set(door),
    mayImport: new Set(namesAfter('May import:', text)),
    packages: new Set(namesAfter('Packages:', text)),
  }
}

function namesAfter(label: string, text: string): readonly string[] {
  const paragraph = text.split(/\n\s*\n/).find((part) => part.startsWith(label)) ?? ''
  return [...paragraph.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
}

/** @returns the innermost room that a file stands in, if any. */
export function roomOf(rooms: ReadonlyMap<string, Room>, file: string): Room | undefined {
  for (let place = file; place !== '.'; place = path.posix.dirname(place)) {
    const room = rooms.get(place)
    if (room) return room
  }
  return undefined
}
