import { expect, test } from 'vitest'
import { signedUp, type TestVisitor } from '../support/visitor.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld({ model: 'built-in', web: { signUpPlan: 'pro' } })

let accounts = 0
async function newReader(): Promise<TestVisitor> {
  accounts += 1
  return signedUp(world.service, `lists-${accounts}@example.org`)
}

const textOf = async (visitor: TestVisitor, path: string) => (await visitor.get(path)).text()

/** Asks a question and waits for the end of its turn. */
async function ask(visitor: TestVisitor, question: string, path = '/ask', session = '') {
  const form = { form: crypto.randomUUID(), question, model: 'service', ...(session && { session }) }
  const response = await visitor.post(path, form)
  const sessionId = /sess_\w+/.exec(response.headers.get('location') ?? '')?.[0] ?? ''
  const newest = async () => {
    const [run] = await world.rows<{ id: string; ended: boolean }>(
      'select id, finished_at is not null as ended from runs where session_id = $1 order by turn desc limit 1',
      sessionId,
    )
    return run
  }
  await expect.poll(async () => (await newest())?.ended).toBe(true)
  return { sessionId, runId: (await newest())?.id ?? '' }
}

async function projectOf(session: string): Promise<string | undefined> {
  const [row] = await world.rows<{ project: string }>(
    'select project_id as project from sessions where id = $1',
    session,
  )
  return row?.project
}

/** The ids in a list of conversations, those of branches within the list of their conversation. */
const listed = async (owner: TestVisitor, path: string) => {
  const html = await textOf(owner, path)
  const [, list = ''] =
    /<(?:div class="rail-list"|ul class="rows")[^>]*>([\s\S]*?)<(?:\/div|h2)/.exec(html) ?? []
  const ids: (string | string[])[] = []
  for (const [, open, close, id = ''] of list.matchAll(
    /(<ul[^>]* aria-label="Branches">)|(<\/ul>)|\/sessions\/(sess_\w+)"/g,
  )) {
    const last = ids.at(-1)
    if (open) ids.push([])
    else if (close) ids.push('')
    else if (Array.isArray(last)) last.push(id)
    else ids.push(id)
  }
  return ids.filter((one) => one !== '')
}

test('a branch is listed in place of the first question, as the open version or the newest one', async () => {
  const owner = await newReader()
  const first = await ask(owner, 'Asked again?')
  const project = await projectOf(first.sessionId)
  const other = await ask(owner, 'Asked instead?', `/runs/${first.runId}/branch`)
  const second = await ask(owner, 'Asked again?', `/runs/${first.runId}/branch`)
  for (const path of ['/ask', `/projects/${project}`])
    expect(await listed(owner, path)).toEqual([second.sessionId])
  for (const { sessionId } of [first, other])
    expect(await listed(owner, `/sessions/${sessionId}`)).toEqual([sessionId])
  const apart = await ask(owner, 'Something else?')
  const third = await ask(owner, 'Asked a third time?', `/runs/${second.runId}/branch`)
  expect(await listed(owner, '/ask')).toEqual([third.sessionId, apart.sessionId])
  // A search finds a version by its own name.
  expect(await listed(owner, '/ask?find=INSTEAD')).toEqual([other.sessionId])
  expect(await listed(owner, '/ask?find=nowhere')).toEqual([])
})

test('a branch of a later question is listed below its conversation, also after more branches', async () => {
  const owner = await newReader()
  const { sessionId: root } = await ask(owner, 'Root question?')
  const project = await projectOf(root)
  const next = await ask(owner, 'And then?', '/ask', root)
  const branch = await ask(owner, 'And before?', `/runs/${next.runId}/branch`)
  const apart = await ask(owner, 'Something else?')
  const again = await ask(owner, 'And before?', `/runs/${branch.runId}/branch`)
  const third = await ask(owner, 'Third?', '/ask', again.sessionId)
  const deeper = await ask(owner, 'Third, differently?', `/runs/${third.runId}/branch`)
  const family = [root, [deeper.sessionId, again.sessionId], apart.sessionId]
  for (const path of ['/ask', `/projects/${project}`, `/sessions/${root}`])
    expect(await listed(owner, path)).toEqual(family)
  expect(await listed(owner, `/sessions/${branch.sessionId}`)).toEqual([
    root,
    [deeper.sessionId, branch.sessionId],
    apart.sessionId,
  ])
  // What is left of a conversation whose first questions were deleted stays together.
  await owner.post(`/sessions/${root}/delete`, {})
  expect(await listed(owner, '/ask')).toEqual([deeper.sessionId, [again.sessionId], apart.sessionId])
})

test('a branch does not keep older conversations from the next page of the list', async () => {
  const owner = await newReader()
  const first = await ask(owner, 'Conversation 1?')
  const project = await projectOf(first.sessionId)
  for (let n = 2; n <= 21; n += 1) await ask(owner, `Conversation ${n}?`)
  const branch = await ask(owner, 'Conversation 1, changed?', `/runs/${first.runId}/branch`)
  const page = `/projects/${project}`
  expect((await listed(owner, page))[0]).toBe(branch.sessionId)
  expect(await listed(owner, page)).toHaveLength(20)
  const older = (await textOf(owner, page)).match(/href="([^"]*\?older=[^"]*)"/)?.[1] ?? ''
  expect(await listed(owner, older)).toHaveLength(1)
  expect(await listed(owner, `${page}?older=nonsense`)).toHaveLength(20)
})

test('one form sent several times at once starts one turn in one project', async () => {
  const owner = await newReader()
  const form = { form: crypto.randomUUID(), question: 'Once or twice?', model: 'service' }
  const replies = await Promise.all([1, 2, 3].map(() => owner.post('/ask', form)))
  expect(replies.map(({ status }) => status)).toEqual([303, 303, 303])
  const [page = '', ...others] = new Set(replies.map(({ headers }) => headers.get('location')))
  expect(others).toEqual([])
  const session = /sess_\w+/.exec(page ?? '')?.[0]
  const runs = () =>
    world.rows('select finished_at is not null as ended from runs where session_id = $1', session)
  await expect.poll(runs).toEqual([{ ended: true }])
  expect((await textOf(owner, '/projects')).match(/href="\/projects\/proj_/g)).toHaveLength(1)
})
