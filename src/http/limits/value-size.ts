/** Size of a JSON value. */
export type ValueSize = {
  /** Number of objects, arrays, strings, numbers, booleans and nulls. */
  readonly values: number
  /** UTF-16 units of all strings and names. */
  readonly characters: number
}

/**
 * Measures a JSON value until it exceeds one of the bounds.
 * @param counts whether the string of a member counts; default: all do.
 */
export function sizeWithin(
  root: unknown,
  most: ValueSize,
  counts: (name: string, text: string) => boolean = () => true,
): ValueSize {
  const open = [root]
  let values = 0
  let characters = 0
  while (open.length > 0 && values <= most.values && characters <= most.characters) {
    const value = open.pop()
    values += 1
    if (typeof value === 'string') characters += value.length
    else
      for (const [name, item] of membersOf(value)) {
        characters += name.length
        if (typeof item !== 'string' || counts(name, item)) open.push(item)
      }
  }
  return { values, characters }
}

/** Items of an array have no names. */
function membersOf(value: unknown): readonly (readonly [string, unknown])[] {
  if (Array.isArray(value)) return value.map((item) => ['', item])
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

/** Whether a string is at a place for the data of an image or file, which may be long. */
export function mayBeData(name: string, text: string): boolean {
  return name === 'file_data' || ((name === 'url' || name === 'image_url') && text.startsWith('data:'))
}
