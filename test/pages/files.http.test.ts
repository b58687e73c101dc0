import { beforeAll, expect, test } from 'vitest'
import { wordsIn } from '../support/page-text.ts'
import { signedUp, type TestVisitor } from '../support/visitor.ts'
import { useWorld } from '../support/world/world.ts'

let visitor: TestVisitor

const world = useWorld({ model: 'built-in' })
beforeAll(async () => {
  visitor = await signedUp(world.service, 'files@example.org')
})

/** Makes a project and returns its path. */
const newProject = async (name: string) =>
  (await visitor.post('/projects', { name })).headers.get('location') ?? ''

/** Uploads a file with the form of a project. @returns the words of the page that comes then. */
async function upload(project: string, name: string, content: Buffer | string): Promise<string> {
  const body = new FormData()
  body.set('file', new File([new Uint8Array(Buffer.from(content))], name))
  const headers = {
    'sec-fetch-site': 'same-origin',
    cookie: [...visitor.cookies].map((pair) => pair.join('=')).join('; '),
  }
  const init = { method: 'POST', body, headers, redirect: 'manual' } as const
  const sent = await fetch(`${world.service.url}${project}/files`, init)
  const page = sent.status === 303 ? await visitor.get(sent.headers.get('location') ?? '') : sent
  return wordsIn(await page.text())
}

const pageOf = async (path: string) => (await visitor.get(path)).text()
const fileIn = async (project: string, name: string) =>
  new RegExp(`href="(/files/[^"]*)"[^>]*>${name}<`).exec(await pageOf(project))?.[1] ?? ''

test('a project is renamed and deleted with what is in it', async () => {
  const project = await newProject('Old name')
  await upload(project, 'a.txt', 'a')
  await visitor.post(`${project}/rename`, { name: 'שם חדש' })
  expect(await pageOf(project)).toMatch(/<h1[^>]*>שם חדש</)
  const gone = await visitor.post(`${project}/delete`, {})
  expect(await pageOf(gone.headers.get('location') ?? '')).toContain('The project has been deleted')
  expect((await visitor.get(project)).status).toBe(404)
})

test('an upload that cannot be read says so, with the reason, and not that answers read it', async () => {
  const said = await upload(await newProject('Scans'), 'letter.rtf', '{\\rtf1 shalom}')
  expect(said).toContain('The file has been uploaded, but answers cannot read it.')
  expect(said).toContain('It is an RTF document. Save it as DOCX.')
  expect(said).not.toContain('can read and quote')
})

test('a name that the project has makes a new version of its file, and the old one stays', async () => {
  const project = await newProject('Drafts')
  expect(await upload(project, 'draft.txt', 'first')).toContain('Answers in this project can read')
  expect(await upload(project, 'draft.txt', 'second')).toContain('as a new version')
  expect((await pageOf(project)).split('>draft.txt<')).toHaveLength(2)
  const page = await pageOf(await fileIn(project, 'draft.txt'))
  expect(page).toMatch(/class="preview[^>]*>(<[^>]*>)*second</)
  const old = /href="([^"]*)"[^>]*aria-label="Download version 1/.exec(page)?.[1] ?? ''
  expect(await pageOf(old.replaceAll('&amp;', '&'))).toBe('first')
})

test('what is wrong with an upload or a name is said in words beside the form', async () => {
  expect(await (await visitor.post('/projects', { name: '   ' })).text()).toContain(
    'Enter a name for the project.',
  )
  const project = await newProject('Texts')
  for (const name of ['one.txt', 'two.txt']) await upload(project, name, 'א')
  const renamed = await visitor.post(`${await fileIn(project, 'one.txt')}/rename`, { name: 'two.txt' })
  expect(wordsIn(await renamed.text())).toContain('A file "two.txt" exists already.')
  const kept = await visitor.post(`${await fileIn(project, 'one.txt')}/rename`, { name: 'one.txt' })
  expect(kept.status).toBe(303)
  expect(await upload(project, 'large.txt', Buffer.alloc(10 * 1024 * 1024 + 1, 'a'))).toContain(
    'The plan "free" allows files of at most 10 MB. Choose a smaller file.',
  )
})
