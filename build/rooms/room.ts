import path from 'node:path'

/**
 * A room: a folder that its README.md describes, or a file of `src` that `src/README.md` describes. Paths are
 * relative to `src`.
 */
export type Room = {
  /** Such as `turns/recording`, or `app.ts`. */
  readonly name: string
  readonly readme: string
  /** Files that other rooms may import. */
  readonly door: ReadonlySet<string>
  /** Rooms that its files may import. */
  readonly mayImport: ReadonlySet<string>
  readonly packages: ReadonlySet<string>
}

/**
 * Parses the rooms that a README.md describes: its folder; in `src`, one section per file too. A paragraph
 * that starts with `Door:`, `May import:` or `Packages:` lists names in backticks.
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

/** @returns the innermost room that contains a file, if any. */
export function roomOf(rooms: ReadonlyMap<string, Room>, file: string): Room | undefined {
  for (let place = file; place !== '.'; place = path.posix.dirname(place)) {
    const room = rooms.get(place)
    if (room) return room
  }
  return undefined
}
