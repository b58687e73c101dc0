/** What people call the types of files, in any language unless one translates them. */
export const fileTypes: Readonly<Record<string, string>> = {
  'application/pdf': 'PDF',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'Word',
  'application/json': 'JSON',
  'application/octet-stream': 'File',
  'image/gif': 'GIF',
  'image/jpeg': 'JPEG',
  'image/png': 'PNG',
  'image/webp': 'WebP',
  'text/csv': 'CSV',
  'text/html': 'HTML',
  'text/markdown': 'Markdown',
  'text/plain': 'Text',
}

/** The name of a content type without parameters; the content type itself where it has none. */
export function typeNameIn(names: Readonly<Record<string, string>>) {
  return (type: string): string => (Object.hasOwn(names, type) ? (names[type] ?? type) : type)
}
