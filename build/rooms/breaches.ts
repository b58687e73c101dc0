import path from 'node:path'
import { findCircles } from './circles.ts'
import { type Import, importsOf } from './imports.ts'
import { type Layers, parseLayers, parseRooms, type Room, roomOf } from './room.ts'

type Rooms = ReadonlyMap<string, Room>

/** Maximum number of files that a reader can survey in one folder. */
const maxFiles = 15

/**
 * Violations of the rules of rooms, one sentence each.
 * @param sources texts of the source files by path, relative to `src`.
 * @param readmes texts of the README.md files, in the same form.
 * @param layersText text of `layers.yaml`.
 */
export function findBreaches(
  sources: ReadonlyMap<string, string>,
  readmes: ReadonlyMap<string, string>,
  layersText: string,
): readonly string[] {
  const rooms = new Map(
    [...readmes].flatMap(([file, text]) => parseRooms(file, text)).map((room) => [room.name, room]),
  )
  const layers = parseLayers(layersText)
  const imports = [...sources].flatMap(([file, text]) => importsOf(file, text))
  return [
    ...imports.flatMap((found) => breachOf(rooms, layers, found) ?? []),
    ...[...rooms.values()].flatMap((room) => falseDoors(room, sources)),
    ...[...rooms.keys()]
      .filter((name) => !layers.names.has(name))
      .map((name) => `${name} has no place in src/layers.yaml.`),
    ...[...layers.names]
      .filter((name) => !rooms.has(name))
      .map((name) => `src/layers.yaml names ${name}, which does not exist.`),
    ...findCircles(imports).map((circle) => `These files import each other: ${circle.join(', ')}.`),
    ...crowdedFolders(sources),
  ]
}

function breachOf(rooms: Rooms, layers: Layers, found: Import): string | undefined {
  const room = roomOf(rooms, found.from)
  if (!room) return `${found.from} stands in no room: no README.md describes its folder.`
  if (found.kind === 'package') {
    if (layers.mayUse(room.name, found.name)) return undefined
    return `${found.from} imports the package ${found.name}, which src/layers.yaml does not list for ${room.name}.`
  }
  const target = roomOf(rooms, found.to)
  if (target === room || !target) return undefined
  if (!layers.mayImport(room.name, target.name))
    return `${found.from} imports ${found.to}, but src/layers.yaml does not let ${room.name} import ${target.name}.`
  if (!target.door.has(found.to))
    return `${found.from} imports ${found.to}, which is no door of ${target.name}.`
  return undefined
}

/** An entry for a missing file would allow that file silently as soon as somebody adds it. */
function falseDoors(room: Room, sources: ReadonlyMap<string, string>): readonly string[] {
  return [...room.door]
    .filter((file) => !sources.has(file))
    .map((file) => `${room.readme} names ${file}, which does not exist.`)
}

function crowdedFolders(sources: ReadonlyMap<string, string>): readonly string[] {
  const folders = Map.groupBy(sources.keys(), (file) => path.posix.dirname(file))
  return [...folders]
    .filter(([, files]) => files.length > maxFiles)
    .map(([folder, files]) => `src/${folder} holds ${files.length} files; more than ${maxFiles} want rooms.`)
}
