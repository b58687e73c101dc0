const units = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

/** A size such as `12.5 MB`; a kilobyte has 1,024 bytes, as in the plans. */
export function bytesText(bytes: number): string {
  const unit = bytes < 1_024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1_024 ** unit
  return `${value.toLocaleString('en', { maximumFractionDigits: unit === 0 || value >= 100 ? 0 : 1 })} ${units[unit]}`
}
