/** Words of a `User-Agent` and the browsers that send them. The first that matches counts: most also name others. */
const browsers = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const

/** The same for systems. */
const systems = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['CrOS', 'ChromeOS'],
  ['Macintosh', 'macOS'],
  ['Linux', 'Linux'],
] as const

/** What people call a browser, such as `Firefox, Linux`; an unknown one keeps its own words. May be empty. */
export function agentName(agent: string): string {
  const named = [browsers, systems].flatMap(
    (table) => table.find(([word]) => agent.includes(word))?.[1] ?? [],
  )
  return named.join(', ') || agent.slice(0, 60)
}
