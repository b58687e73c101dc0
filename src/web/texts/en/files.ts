import { fileTypes, typeNameIn } from '../grammar/file-types.ts'

/** `/files/{id}`: a file, its text and its versions. */
export const files = {
  content: 'Content',
  versions: 'Versions',
  version: 'Version',
  change: 'Change the file',
  deleteDots: 'Delete the file…',
  deleteQuestion: 'This permanently deletes the file with all its versions.',
  deleteConfirm: 'Yes, delete it',
  type: 'Type',
  typeName: typeNameIn(fileTypes),
  origin: 'Origin',
  uploaded: 'Uploaded',
  anAnswer: 'An answer',
  image: (name: string) => `The image ${name}`,
  empty: 'The file is empty.',
  noPreview: (problem: string) => `There is no preview. ${problem}`,
  partPreview: (problem: string) => `The preview is incomplete. ${problem}`,
  cut: 'The preview shows only the beginning. Download the file to read all of it.',
  downloadVersion: (version: number) => `Download version ${version}`,
  unread: 'The file has been uploaded, but answers cannot read it.',
  renamed: 'The file has been renamed.',
}
