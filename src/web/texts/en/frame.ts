/** Header, navigation and footer of every page, and the help about keys. */
export const frame = {
  /** The name of the product, unless the operator sets another. */
  product: 'Meduyak',
  skip: 'Skip to the content',
  main: 'Main',
  section: 'Section',
  ask: 'Ask',
  library: 'Library',
  sheets: 'Sheets',
  projects: 'Projects',
  usage: 'Usage',
  settings: 'Settings',
  operator: 'Operator',
  signOut: 'Sign out',
  account: 'Account menu',
  note: 'Answers cite sources; they are not halachic rulings. Each quotation shows how it was checked.',
  apiReference: 'API reference',
  /** The name of the other language, in that language, and its code. */
  otherLanguage: { code: 'he', name: 'עברית' } as { readonly code: 'en' | 'he'; readonly name: string },
  theme: 'Colours',
  themes: { system: 'System', light: 'Light', dark: 'Dark' },
  shortcuts: 'Keyboard shortcuts',
  shortcutList: {
    search: 'Go to the search or the question',
    help: 'Show this help',
    escape: 'Close a dialog',
  },
  copied: 'Copied',
  selected: 'Selected: copy it with the keyboard',
}
