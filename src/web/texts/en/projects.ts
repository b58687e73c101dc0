import { html } from 'hono/html'

/** `/projects`: projects with their conversations and files. */
export const projects = {
  about:
    'A project keeps conversations and files together. Answers in a project can read and write its files.',
  /** The project that the first question creates; the database has its English name. */
  own: 'My questions',
  newProject: 'New project',
  create: 'Create project',
  none: 'No projects yet',
  noneHint: html`Create one below, or <a href="/ask">ask a question</a>: the first question creates the project
“My questions”.`,
  created: (date: unknown) => html`created ${date}`,
  askHere: 'Ask in this project',
  noConversations: 'No conversations yet',
  askFirst: (href: string) => html`<a href="${href}">Ask the first question</a> in this project.`,
  files: 'Files',
  noFiles: 'No files yet',
  noFilesHint:
    'Upload texts, PDF or Word files: answers can read and quote them. Files that answers write appear here too.',
  uploadFile: 'Upload a file',
  file: 'File',
  chooseFile: 'Choose a file',
  noneChosen: 'none chosen',
  upload: 'Upload',
  maxSize: (size: string, plan: string) => `At most ${size} per file on the plan “${plan}”.`,
  instructions: 'Instructions',
  instructionsLabel: 'What answers in this project follow',
  instructionsHint:
    'For example: “Explain each Hebrew word. Prefer the works of Chabad.” Answers keep quoting and citing the library. At most 8,000 characters.',
  saveInstructions: 'Save instructions',
  settings: 'Project settings',
  deleteDots: 'Delete the project…',
  deleteQuestion:
    'This permanently deletes its conversations and files, and revokes the API keys that are bound to it.',
  deleteConfirm: 'Delete everything in it',
  changed: 'Changed',
  done: {
    uploaded: 'The file has been uploaded. Answers in this project can read and quote it.',
    'uploaded-image': 'The image has been uploaded.',
    'uploaded-version': 'The file has been uploaded as a new version of the file with this name.',
    'file-deleted': 'The file has been deleted.',
    'session-deleted': 'The conversation has been deleted.',
    instructed: 'The instructions have been saved. They apply to new questions.',
    renamed: 'The project has been renamed.',
    deleted: 'The project has been deleted, with its conversations and files.',
  },
}
