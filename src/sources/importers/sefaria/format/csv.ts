/** Parses one line of CSV. Within a quoted field, quotes are doubled. */
export function parseCsvLine(line: string): readonly string[] {
  if (!line.includes('"')) return line.split(',')
  const fields: string[] = []
  for (const match of line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)) {
    fields.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
  }
  return fields
}
