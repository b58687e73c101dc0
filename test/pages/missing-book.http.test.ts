import { expect, test } from 'vitest'
import { openVisitor, signedUp } from '../support/visitor.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld(unhurried)

const ask = 'If a book is missing, ask the person who runs this service to add it.'
const hebrewAsk = 'אם חסר ספר, אפשר לבקש ממי שמפעיל את השירות להוסיף אותו.'
const link = 'href="/operator/library"'

test.each(['/library/search?q=quarkxyz', '/library'])(
  'the page %s without books says to readers whom to ask, and to operators where to add them',
  async (path) => {
    const student = await signedUp(world.service, `student-${path.length}@example.org`)
    const operator = await signedUp(world.service, `operator-${path.length}@example.org`)
    await world.rows(`update accounts set operator = true where email like 'operator-%'`)
    for (const reader of [student, openVisitor(world.service)]) {
      const page = await (await reader.get(path)).text()
      expect(page).toContain(ask)
      expect(page).not.toContain(link)
    }
    const page = await (await operator.get(path)).text()
    expect(page.split('<main')[1]).toContain(link)
    expect(page).not.toContain(ask)
    await student.post('/preferences', { language: 'he' })
    expect(await (await student.get(path)).text()).toContain(hebrewAsk)
  },
)
