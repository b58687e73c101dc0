/** `/` for visitors who are not signed in. */
export const landing = {
  title: 'Chassidic teachings, with every quotation checked',
  promise: 'Ask about chassidic teachings. Every quotation is checked against its source.',
  about:
    'Answers stand next to the passages they quote, in Hebrew and English, and show whether each quotation is exact.',
  start: 'Create a free account',
  browse: 'Browse the library',
  example: 'A real example, checked just now',
  checked: '✓ word for word',
  askTitle: 'Ask, for example',
  questions: [
    'What is a beinoni?',
    'What does bittul mean?',
    'Why is joy part of serving God?',
  ] as readonly string[],
  libraryTitle: 'An open library',
  libraryAbout:
    'Search and read the texts without an account. Each shows its version, its licence and its origin.',
  openLibrary: 'Open the library',
  apiTitle: 'For developers',
  apiAbout: 'The same answers through an OpenAI-compatible API, with sources and checks in each reply.',
  getKey: 'Get a key',
}
