/** Titles of works that describe texts, people and terms. */
const titles = new Set([
  'Concepts of Chassidut',
  'Masters of Chassidut',
  'Practices of Chassidut',
  'Books of Chassidut',
  'Jastrow',
  'Klein Dictionary',
  'BDB',
  'BDB Aramaic',
])

/** Whether a work is a reference work, such as an encyclopedia or a dictionary, and not a source. */
export function isReferenceWork(title: string): boolean {
  return titles.has(title)
}
