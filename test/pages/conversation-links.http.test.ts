import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { readQuestions } from '../../src/evaluation/questions/read-questions.ts'
import { partTurns } from '../../src/web/pages/exports/exports.ts'
import { readDocument } from '../../src/workspace/documents/read.ts'
import { reply } from '../support/scripted-upstream.ts'
import { openVisitor, signedUp, type TestVisitor } from '../support/visitor.ts'
import { useWorld } from '../support/world/world.ts'
import { gateBook, readingTheGate } from './browser/gate-book.ts'

const world = useWorld({ library: gateBook, web: { signUpPlan: 'pro' }, script: reply('It shines.') })

let accounts = 0
async function newReader(): Promise<TestVisitor> {
  accounts += 1
  return signedUp(world.service, `links-${accounts}@example.org`)
}

let sharer: Promise<TestVisitor> | undefined
/** One account for several tests: an address may make 20. */
const oneSharer = () => {
  sharer ??= newReader()
  return sharer
}

const answer = '“A small lamp that is carried into a dark room” [S2].'

/** Asks a question and waits for its answer, which cites what it has read. */
async function ask(visitor: TestVisitor, question: string, path = '/ask', session = '') {
  world.upstream.enqueue(...readingTheGate(), reply(answer))
  return askPlainly(visitor, question, path, session)
}

/** The same with the next script of the model. */
async function askPlainly(visitor: TestVisitor, question: string, path = '/ask', session = '') {
  const form = { form: crypto.randomUUID(), question, model: 'service', ...(session && { session }) }
  const response = await visitor.post(path, form)
  const sessionId = /sess_\w+/.exec(response.headers.get('location') ?? '')?.[0] ?? ''
  const run = await endedRun(sessionId)
  return { sessionId, runId: run.id }
}

async function endedRun(sessionId: string): Promise<{ readonly id: string }> {
  const newest = () =>
    world.rows<{ id: string; ended: boolean }>(
      'select id, finished_at is not null as ended from runs where session_id = $1 order by turn desc limit 1',
      sessionId,
    )
  await expect.poll(async () => (await newest())[0]?.ended).toBe(true)
  return { id: (await newest())[0]?.id ?? '' }
}

const textOf = async (visitor: TestVisitor, path: string) => (await visitor.get(path)).text()
/** Makes or renews the public link of a conversation. */
async function share(owner: TestVisitor, sessionId: string): Promise<string> {
  await owner.post(`/sessions/${sessionId}/share`, {})
  return /\/shared\/[\w-]{43}/.exec(await textOf(owner, `/sessions/${sessionId}`))?.[0] ?? ''
}

describe('a public link to a conversation', () => {
  test('shows answers and sources to anybody, and nothing of the account', async () => {
    const owner = await newReader()
    const { sessionId } = await ask(owner, 'Shared question?')
    const link = await share(owner, sessionId)
    const page = await openVisitor(world.service).get(link)
    expect(page.status).toBe(200)
    expect(page.headers.get('x-robots-tag')).toContain('noindex')
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    const html = await page.text()
    for (const shown of ['Shared question?', 'A small lamp', 'The Gate 1:1', 'word for word'])
      expect(html).toContain(shown)
    for (const hidden of [
      '@example.org',
      'acct_',
      'sess_',
      'proj_',
      '/branch',
      '/feedback',
      'My questions',
      '<textarea',
    ])
      expect(html).not.toContain(hidden)
  })

  test('shows no question that was asked after it was made', async () => {
    const owner = await newReader()
    const { sessionId } = await askPlainly(owner, 'First question?')
    const link = await share(owner, sessionId)
    await askPlainly(owner, 'A private second?', '/ask', sessionId)
    const visitor = openVisitor(world.service)
    expect(await textOf(visitor, link)).not.toContain('A private second?')
    await owner.post(`/sessions/${sessionId}/share`, {})
    expect(await textOf(visitor, link)).toContain('A private second?')
  })

  test('keeps the title that was shared until it is shared again', async () => {
    const owner = await oneSharer()
    const { sessionId } = await askPlainly(owner, 'Named?')
    const link = await share(owner, sessionId)
    await owner.post(`/sessions/${sessionId}/rename`, { name: 'A private name' })
    const visitor = openVisitor(world.service)
    expect(await textOf(visitor, link)).not.toContain('A private name')
    await owner.post(`/sessions/${sessionId}/share`, {})
    expect(await textOf(visitor, link)).toContain('A private name')
  })

  test.each(['share', 'feedback'])(
    '%s of a conversation that is deleted meanwhile is 404',
    async (action) => {
      const owner = await oneSharer()
      const { sessionId, runId } = await askPlainly(owner, `Deleted before ${action}?`)
      const client = await world.db.database.systemPool.connect()
      try {
        await client.query('begin')
        await client.query('delete from sessions where id = $1', [sessionId])
        const path = action === 'share' ? `/sessions/${sessionId}/share` : `/runs/${runId}/feedback`
        const posted = owner.post(path, { rating: 'up' })
        const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        await expect.poll(() => world.rows(waiting)).toHaveLength(1)
        await client.query('commit')
        expect((await posted).status).toBe(404)
      } finally {
        client.release()
      }
    },
  )

  test('works no longer once it is revoked, and the next link is another one', async () => {
    const owner = await newReader()
    const { sessionId } = await askPlainly(owner, 'Revoked?')
    const first = await share(owner, sessionId)
    await owner.post(`/sessions/${sessionId}/unshare`, {})
    const visitor = openVisitor(world.service)
    expect((await visitor.get(first)).status).toBe(404)
    expect(await share(owner, sessionId)).not.toBe(first)
    expect((await visitor.get(first)).status).toBe(404)
  })

  test('ends with its conversation, and pauses with a suspended account', async () => {
    const owner = await newReader()
    const { sessionId } = await askPlainly(owner, 'Deleted?')
    const link = await share(owner, sessionId)
    const visitor = openVisitor(world.service)
    const suspend = (value: string) =>
      world.db.database.systemPool.query(
        `update accounts set suspended_at = ${value} where id = (select account_id from sessions where id = $1)`,
        [sessionId],
      )
    await suspend('now()')
    expect((await visitor.get(link)).status).toBe(404)
    await suspend('null')
    expect((await visitor.get(link)).status).toBe(200)
    await owner.post(`/sessions/${sessionId}/delete`, {})
    expect((await visitor.get(link)).status).toBe(404)
  })

  test('is stored without its token', async () => {
    const owner = await newReader()
    const { sessionId } = await askPlainly(owner, 'Stored?')
    const token = (await share(owner, sessionId)).replace('/shared/', '')
    const [row] = await world.rows<{ row: string }>(
      'select s::text as row from shared_sessions s where session_id = $1',
      sessionId,
    )
    expect(row?.row).not.toContain(token)
    expect(row?.row).not.toContain(Buffer.from(token, 'base64url').toString('hex'))
    expect(row?.row).toContain(createHash('sha256').update(token).digest('hex'))
  })

  test('of an earlier version works, but its address is no longer shown', async () => {
    const owner = await newReader()
    const { sessionId } = await askPlainly(owner, 'Kept link?')
    await owner.post(`/sessions/${sessionId}/share`, {})
    const old = randomBytes(32).toString('base64url')
    await world.rows(
      'update shared_sessions set token_digest = sha256($2::bytea), token_seed = null where session_id = $1',
      sessionId,
      old,
    )
    expect((await openVisitor(world.service).get(`/shared/${old}`)).status).toBe(200)
    const html = await textOf(owner, `/sessions/${sessionId}`)
    expect(html).toContain('Its address can no longer be shown')
    expect(html).not.toContain('/shared/')
    expect(html).toContain(`/sessions/${sessionId}/unshare`)
  })

  test.each(['x', '%00', 'א', `${'a'.repeat(43)}`, "' or 1=1 --"])(
    'the token %s opens nothing',
    async (token) => {
      expect((await openVisitor(world.service).get(`/shared/${encodeURIComponent(token)}`)).status).toBe(404)
    },
  )
})

describe('a question in place of another', () => {
  test('begins a branch that knows the earlier turns and keeps the first answer', async () => {
    const owner = await newReader()
    const { sessionId } = await askPlainly(owner, 'Earlier question?')
    const { runId } = await askPlainly(owner, 'Replaced question?', '/ask', sessionId)
    const branch = await askPlainly(owner, 'Other question?', `/runs/${runId}/branch`)
    expect(branch.sessionId).not.toBe(sessionId)
    const sent = world.upstream.requests.at(-1)?.body.messages ?? []
    const contents = sent.map(({ content }) => content)
    expect(contents).toContain('Earlier question?')
    expect(contents).toContain('Other question?')
    expect(contents).not.toContain('Replaced question?')
    const before = await textOf(owner, `/sessions/${sessionId}`)
    expect(before).toContain('Replaced question?')
    expect(before).toMatch(/aria-label="Versions of question 2"[\s\S]{0,300}1 of 2/)
    const after = await textOf(owner, `/sessions/${branch.sessionId}`)
    expect(after).toMatch(/aria-label="Versions of question 1"[\s\S]{0,300}2 of 2/)
    expect(after).toContain(`/sessions/${sessionId}`)
  })

  test('is shared and exported with the questions before it, and without the one that it replaces', async () => {
    const owner = await newReader()
    const { sessionId } = await askPlainly(owner, 'Before the branch?')
    const { runId } = await askPlainly(owner, 'Left behind?', '/ask', sessionId)
    const branch = `/sessions/${(await askPlainly(owner, 'Asked instead?', `/runs/${runId}/branch`)).sessionId}`
    const shared = await share(owner, branch.replace('/sessions/', ''))
    for (const text of [
      await textOf(openVisitor(world.service), shared),
      await textOf(owner, `${branch}/export`),
    ]) {
      expect(text).toMatch(/Before the branch\?[\s\S]*Asked instead\?/)
      expect(text).not.toContain('Left behind?')
    }
  })

  test('of a branch stands beside that branch, and each version leads to its neighbours', async () => {
    const owner = await newReader()
    const { sessionId } = await askPlainly(owner, 'Root question?')
    const { runId } = await askPlainly(owner, 'First version?', '/ask', sessionId)
    const second = await askPlainly(owner, 'Second version?', `/runs/${runId}/branch`)
    const third = await askPlainly(owner, 'Third version?', `/runs/${second.runId}/branch`)
    const contents = (world.upstream.requests.at(-1)?.body.messages ?? []).map(({ content }) => content)
    expect(contents).toContain('Root question?')
    expect(contents).not.toContain('Second version?')
    const nav = async (id: string) => {
      const html = await textOf(owner, `/sessions/${id}`)
      const [found = ''] = /<nav class="branches"[\s\S]*?<\/nav>/.exec(html) ?? []
      return {
        place: /\d of \d/.exec(found)?.[0],
        links: [...found.matchAll(/href="([^"]*)"/g)].map(([, to]) => to),
      }
    }
    const [one, two, three] = [
      `/sessions/${sessionId}?at=2#question-2`,
      `/sessions/${second.sessionId}?at=1#question-1`,
      `/sessions/${third.sessionId}?at=1#question-1`,
    ]
    expect(await nav(sessionId)).toEqual({ place: '1 of 3', links: [two] })
    expect(await nav(second.sessionId)).toEqual({ place: '2 of 3', links: [one, three] })
    expect(await nav(third.sessionId)).toEqual({ place: '3 of 3', links: [two] })
  })

  test('comes after the questions before it, also those of other branches', async () => {
    const owner = await newReader()
    const { sessionId } = await askPlainly(owner, 'Root question?')
    const { runId } = await askPlainly(owner, 'First version?', '/ask', sessionId)
    const second = await askPlainly(owner, 'Second version?', `/runs/${runId}/branch`)
    const next = await askPlainly(owner, 'Next question?', '/ask', second.sessionId)
    const branch = await askPlainly(owner, 'Other next question?', `/runs/${next.runId}/branch`)
    const html = await textOf(owner, `/sessions/${branch.sessionId}`)
    const shown = [...html.matchAll(/<div class="question" dir="auto"><p>([^<]*)/g)].map(([, text]) => text)
    expect(shown).toEqual(['Root question?', 'Second version?', 'Other next question?'])
    const earlier = /<section aria-label="Earlier questions">[\s\S]*?<\/section>/.exec(html)?.[0] ?? ''
    expect(earlier).toContain('Second version?')
    expect(earlier).not.toContain('/branch')
  })

  test('is shown by its link also when newer questions fill the page', async () => {
    const owner = await newReader()
    const { sessionId, runId } = await askPlainly(owner, 'Question 1?')
    for (let n = 2; n <= 9; n += 1) await askPlainly(owner, `Question ${n}?`, '/ask', sessionId)
    await askPlainly(owner, 'Question 1 changed?', `/runs/${runId}/branch`)
    expect(await textOf(owner, `/sessions/${sessionId}`)).not.toContain('id="question-1"')
    expect(await textOf(owner, `/sessions/${sessionId}?at=1`)).toContain('id="question-1"')
    const older = /href="([^"]*)"[^>]*>Earlier questions</.exec(await textOf(owner, `/sessions/${sessionId}`))
    const first = await textOf(owner, older?.[1]?.replaceAll('&amp;', '&') ?? '')
    expect([...first.matchAll(/id="question-(\d)"/g)].map(([, n]) => n)).toEqual(['1'])
    expect(first).toContain('>Newest questions<')
    expect(first).not.toContain('>Earlier questions<')
    expect(await textOf(owner, `/sessions/${sessionId}?at=9`)).toContain('id="question-9"')
  })

  test('one form sent twice begins one branch', async () => {
    const owner = await newReader()
    const { runId } = await askPlainly(owner, 'Once?')
    world.upstream.enqueue(reply('Once more.'))
    const form = { form: crypto.randomUUID(), question: 'Once?', model: 'service' }
    const replies = await Promise.all([1, 2].map(() => owner.post(`/runs/${runId}/branch`, form)))
    expect(new Set(replies.map(({ headers }) => headers.get('location'))).size).toBe(1)
    await endedRun(/sess_\w+/.exec(replies[0]?.headers.get('location') ?? '')?.[0] ?? '')
  })
})

describe('feedback on an answer', () => {
  test('reaches the operator with its question and note, also as lines for `eval`', async () => {
    const owner = await newReader()
    const good = await ask(owner, 'A good one?')
    const bad = await ask(owner, 'מה רע כאן?')
    await owner.post(`/runs/${good.runId}/feedback`, { rating: 'up' })
    await owner.post(`/runs/${bad.runId}/feedback`, { rating: 'down', note: 'Wrong <b>passage</b>' })
    const operator = await newReader()
    await world.rows(`update accounts set operator = true where email = 'links-${accounts}@example.org'`)
    const html = await textOf(operator, '/operator/feedback')
    expect(html).toContain('A good one?')
    expect(html).toContain('Wrong &lt;b&gt;passage&lt;/b&gt;')
    const questions = readQuestions(await textOf(operator, '/operator/feedback.jsonl'))
    expect(questions.filter(({ id }) => [good.runId, bad.runId].includes(id))).toMatchObject([
      {
        id: bad.runId,
        question: 'מה רע כאן?',
        expected: { any: [] },
        note: 'bad answer: Wrong <b>passage</b>',
      },
      { id: good.runId, question: 'A good one?', expected: { any: ['The Gate 1:1'] }, note: 'good answer' },
    ])
  })

  test('is taken back by the same button, and a note stays when only the rating changes', async () => {
    const owner = await newReader()
    const { runId } = await ask(owner, 'Changed?')
    const stored = () =>
      world.rows<{ rating: number; note: string }>(
        'select rating, note from answer_feedback where run_id = $1',
        runId,
      )
    await owner.post(`/runs/${runId}/feedback`, { rating: 'up', note: 'Well said' })
    await owner.post(`/runs/${runId}/feedback`, { rating: 'down' })
    expect(await stored()).toEqual([{ rating: -1, note: 'Well said' }])
    await owner.post(`/runs/${runId}/feedback`, { rating: 'down' })
    expect(await stored()).toEqual([])
  })
})

describe('a conversation as a file', () => {
  test('is Markdown, Word and PDF with the answer and its source', async () => {
    const owner = await newReader()
    const { sessionId } = await ask(owner, 'Exported? מה כאן?')
    const get = (format: string) => owner.get(`/sessions/${sessionId}/export?format=${format}`)
    const markdown = await (await get('md')).text()
    expect(markdown).toContain('## Exported? מה כאן?')
    expect(markdown).toContain('“A small lamp that is carried into a dark room” [1].')
    expect(markdown).toContain('**The Gate 1:1 · השער א׳:א׳** (Gate, our translation; licence: CC0')
    const word = await get('docx')
    expect(word.headers.get('content-disposition')).toContain("filename*=UTF-8''Exported")
    expect(
      Buffer.from(await word.arrayBuffer())
        .subarray(0, 2)
        .toString(),
    ).toBe('PK')
    expect(
      Buffer.from(await (await get('pdf')).arrayBuffer())
        .subarray(0, 5)
        .toString(),
    ).toBe('%PDF-')
    expect((await get('exe')).status).toBe(400)
  })
})

describe('a part of a page, opened in a window of its own', () => {
  const opened = { 'sec-fetch-dest': 'document' }
  /** As a browser opens an address without TLS. */
  const openedWithoutTls = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
  const whereTo = (response: Response) => [response.status, response.headers.get('location')]

  test.each([
    ['a passage', '/library/preview/The%20Gate%201%3A1', '/library/read/The%20Gate%201%3A1'],
    ['a work', '/library/work-preview/The%20Gate', '/library/work/The%20Gate'],
  ])('the preview of %s leads to its page, and stays a part for scripts', async (_, part, page) => {
    const visitor = openVisitor(world.service)
    expect(whereTo(await visitor.get(part, opened))).toEqual([303, page])
    expect(whereTo(await visitor.get(part, openedWithoutTls))).toEqual([303, page])
    expect((await visitor.get(page)).status).toBe(200)
    expect(whereTo(await visitor.get(part, { 'sec-fetch-dest': 'empty' }))).toEqual([200, null])
  })

  test('a turn leads to its place in the conversation, for its owner alone', async () => {
    const reader = await newReader()
    const { sessionId, runId } = await ask(reader, 'What does the Gate say?')
    const part = `/runs/${runId}/turn`
    expect(whereTo(await reader.get(part, opened))).toEqual([303, `/sessions/${sessionId}#${runId}`])
    expect(whereTo(await reader.get(part, openedWithoutTls))).toEqual([
      303,
      `/sessions/${sessionId}#${runId}`,
    ])
    expect((await reader.get(part)).status).toBe(200)
    expect((await reader.get(part, { accept: '*/*' })).status).toBe(200)
    expect((await (await newReader()).get(part, opened)).status).toBe(404)
  })

  test('the list of conversations leads to the page that holds it', async () => {
    const reader = await newReader()
    for (const headers of [opened, openedWithoutTls])
      expect(whereTo(await reader.get('/ask/rail?find=gate', headers))).toEqual([303, '/ask'])
    expect(whereTo(await reader.get('/ask/rail?find=gate', { accept: '*/*' }))).toEqual([200, null])
  })
})

describe('a file of a conversation', () => {
  test('has it whole and in order, also if it is read in several parts', async () => {
    const owner = await oneSharer()
    const asked = Array.from({ length: 2 * partTurns + 1 }, (_, n) => `Question number ${n}?`)
    let last = { sessionId: '', runId: '' }
    for (const one of asked) last = await askPlainly(owner, one, '/ask', last.sessionId)
    const branch = await ask(owner, 'Asked instead?', `/runs/${last.runId}/branch`)
    const exported = await textOf(owner, `/sessions/${branch.sessionId}/export`)
    expect([...exported.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual([
      ...asked.slice(0, -1),
      'Asked instead?',
    ])
    expect(exported).not.toContain('\n\n\n')
  })

  test('is refused when the conversation is too long, before it is rendered', async () => {
    const owner = await oneSharer()
    const { sessionId, runId } = await ask(owner, 'A long answer?')
    // The renderer would have no trouble with the spaces.
    await world.rows(
      `update runs set reply = jsonb_set(reply, '{end,text}', to_jsonb(repeat(' ', 4000001))) where id = $1`,
      runId,
    )
    expect((await owner.get(`/sessions/${sessionId}/export?format=docx`)).status).toBe(413)
    expect((await owner.get(`/sessions/${sessionId}/export?format=md`)).status).toBe(200)
  })
})

describe('a claim of a check in the text of an answer', () => {
  const claim =
    'Check by the service\n\nQuotations: ✓ 3 word for word\n\n<div class="check-result"><span class="by">Check by the service</span></div>'

  async function claiming() {
    const owner = await oneSharer()
    world.upstream.enqueue(reply(claim))
    return { owner, ...(await askPlainly(owner, 'Is it checked?')) }
  }

  test('stands apart from the result of the service, on the page and behind a public link', async () => {
    const { owner, sessionId } = await claiming()
    const own = await textOf(owner, `/sessions/${sessionId}`)
    const link = await share(owner, sessionId)
    for (const page of [own, await textOf(openVisitor(world.service), link)]) {
      const [before = '', answer = ''] = page.split('<div class="answer">')
      const [, frame = ''] = before.split('<div class="check-result">')
      expect(frame).toContain('<span class="by">Check by the service</span>')
      expect(frame).toContain('No quotations to check')
      expect(answer).toContain('3 word for word')
      expect(answer).not.toMatch(/class="(check|by)/)
    }
  })

  test('follows a note in each file that no check is in it', async () => {
    const { owner, sessionId } = await claiming()
    const note = 'The answers are the text of a model.'
    const markdown = await textOf(owner, `/sessions/${sessionId}/export`)
    expect(markdown.indexOf(note)).toBeGreaterThan(0)
    expect(markdown.indexOf(note)).toBeLessThan(markdown.indexOf('3 word for word'))
    const word = await owner.get(`/sessions/${sessionId}/export?format=docx`)
    const { text } = await readDocument('docx', Buffer.from(await word.arrayBuffer()), () => false)
    expect(text.indexOf(note)).toBeGreaterThan(0)
    expect(text.indexOf(note)).toBeLessThan(text.indexOf('3 word for word'))
  })
})
