import type { PassageRow } from '../../src/sources/library/passage-row.ts'

/** A passage without a text, for tests of rankings. */
export function passageRow(doc_id: number, ref: string, language = 'en', version = ''): PassageRow {
  return {
    doc_id,
    ref,
    he_ref: '',
    section_ref: ref,
    ordinal: doc_id,
    work_id: 1,
    work: 'Work',
    author: '',
    language,
    version,
    license: 'own',
    url: '',
    version_url: '',
    text: '',
  }
}
