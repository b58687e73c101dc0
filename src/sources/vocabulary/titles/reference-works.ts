/** Works that describe texts, people and terms; by their titles in the library. */
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

/** Whether a work is a reference work, such as an encyclopedia or a dictionary, and no source itself. */
export function isReferenceWork(title: string): boolean {
  return titles.has(title)
}
