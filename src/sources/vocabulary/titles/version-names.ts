/** Hebrew titles of versions that the service names itself. Versions of publishers have no other title than their own. */
const hebrewVersions: Readonly<Record<string, string>> = {
  'Starter library, English': 'הספרייה ההתחלתית, אנגלית',
  'Starter library, Hebrew': 'הספרייה ההתחלתית, עברית',
  'Hebrew text': 'טקסט עברי',
  'English text': 'טקסט אנגלי',
  Text: 'טקסט',
}

/** The Hebrew title of a version; the title itself where there is no Hebrew one. */
export function hebrewVersionName(title: string): string {
  return Object.hasOwn(hebrewVersions, title) ? (hebrewVersions[title] ?? title) : title
}
