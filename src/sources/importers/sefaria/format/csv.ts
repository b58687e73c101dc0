/** The fields of one line of CSV; quotes within a quoted field are doubled. */
export function parseCsvLine(line: string): readonly string[] {
  if (!line.includes('"')) return line.split(',')
  const fields: string[] = []
  for (const match of line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)) {
    fields.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
  }
  return fields
}
