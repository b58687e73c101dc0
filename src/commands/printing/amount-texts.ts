const byteUnits = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

/** Bytes for people, such as `1.5 GB`; 1 KB is 1,024 bytes. */
export function byteText(bytes: number): string {
  const power = Math.min(byteUnits.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  return `${(bytes / 1_024 ** power).toFixed(power === 0 ? 0 : 1)} ${byteUnits[power]}`
}

const timeUnits = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const

/** A time for people in its largest whole unit, such as `3 h`. */
export function ageText(seconds: number): string {
  const [size, unit] = timeUnits.find(([size]) => seconds >= size) ?? timeUnits[3]
  return `${Math.floor(seconds / size)} ${unit}`
}
