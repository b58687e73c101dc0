import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { dayGroups } from '../../src/web/pages/ask/rail.ts'
import { textsIn } from '../../src/web/texts/catalogue.ts'
import { zoneOf } from '../../src/web/visitors/preferences.ts'

const t = textsIn('en')
const now = new Date('2026-11-23T22:30:00Z')

test.each([
  ['UTC', '2026-11-23T00:10:00Z', 'Today'],
  ['UTC', '2026-11-22T23:50:00Z', 'Yesterday'],
  ['Asia/Jerusalem', '2026-11-23T21:50:00Z', 'Yesterday'],
  ['Asia/Jerusalem', '2026-11-23T22:10:00Z', 'Today'],
  ['America/New_York', '2026-11-23T04:50:00Z', 'Yesterday'],
  ['America/New_York', '2026-11-23T05:10:00Z', 'Today'],
  ['Asia/Jerusalem', '2026-11-18T12:00:00Z', 'Previous 7 days'],
  ['Asia/Jerusalem', '2026-09-30T21:30:00Z', 'October 2026'],
])('in %s a conversation of %s is under %s', (zone, date, group) => {
  const [found] = dayGroups(t, zone, [{ updatedAt: new Date(date) }], now)
  expect(found?.[0]).toBe(group)
})

test.each([
  ['Asia/Jerusalem', 'Asia/Jerusalem'],
  ['Nowhere/None', 'UTC'],
  ['', 'UTC'],
  ['"><script>', 'UTC'],
])('the cookie zone=%s means %s', (zone, meant) => {
  expect(zoneOf({ cookies: { zone } } as unknown as FastifyRequest)).toBe(meant)
})

test('without a cookie the zone is UTC', () => {
  expect(zoneOf({ cookies: {} } as unknown as FastifyRequest)).toBe('UTC')
})
