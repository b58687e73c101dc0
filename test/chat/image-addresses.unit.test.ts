import { expect, test } from 'vitest'
import { imageUrl } from '../../src/routes/turn-request/field-schemas.ts'

test.each([
  'http://127.0.0.1/a.png',
  'http://2130706433/a.png',
  'http://0x7f.1/a.png',
  'https://10.0.0.8:8443/a.png',
  'http://192.168.1.1/',
  'http://172.16.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://0.0.0.0/',
  'http://[::1]/',
  'http://[::ffff:10.0.0.1]/',
  'http://[fd00::1]/',
  'http://[fe80::1]/',
  'http://localhost:3000/',
  'http://LOCALHOST./',
  'http://metadata/',
  'http://metadata.google.internal/computeMetadata/v1/',
  'http://printer.local/',
  'http://a.localhost/',
  'https://user@10.0.0.1/',
])('an image address inside a network is refused: %s', (url) => {
  expect(imageUrl.safeParse(url).error?.issues[0]?.message).toContain('public internet')
})

test.each([
  'https://example.org/a.png',
  'http://93.184.215.14/a.png',
  'https://localhost.example/a.png',
  'data:image/png;base64,AA==',
])('a public address and a data URL are accepted: %s', (url) =>
  expect(imageUrl.safeParse(url).success).toBe(true),
)
