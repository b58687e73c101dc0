import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { imageSize } from '../../../src/agent/image-size.ts'
import { fitContext } from '../../../src/agent/loop/context.ts'
import type { ModelMessage } from '../../../src/agent/provider.ts'
import { estimateTokens, imageTokens, messageTokens } from '../../../src/agent/tokens.ts'
import { anyText } from '../../support/any-text.ts'

const dataUrl = (bytes: Buffer, type = 'png') => `data:image/${type};base64,${bytes.toString('base64')}`

/** The header of a PNG; what follows is noise. */
function png(width: number, height: number, noise = 0): Buffer {
  const head = Buffer.alloc(33)
  head.write('\x89PNG\r\n\x1a\n', 'latin1')
  head.writeUInt32BE(13, 8)
  head.write('IHDR', 12)
  head.writeUInt32BE(width, 16)
  head.writeUInt32BE(height, 20)
  return Buffer.concat([head, Buffer.alloc(noise, 7)])
}

function gif(width: number, height: number): Buffer {
  const head = Buffer.from('GIF89a\0\0\0\0\0\0\0', 'latin1')
  head.writeUInt16LE(width, 6)
  head.writeUInt16LE(height, 8)
  return head
}

/** With `metadata` bytes of it before the frame. */
function jpeg(width: number, height: number, metadata = 0): Buffer {
  const parts = [Buffer.from([0xff, 0xd8])]
  for (let left = metadata; left > 0; left -= 60_000) {
    const length = Math.min(left, 60_000)
    const segment = Buffer.alloc(4 + length)
    segment.writeUInt16BE(0xffe1, 0)
    segment.writeUInt16BE(length + 2, 2)
    parts.push(segment)
  }
  const frame = Buffer.from([0xff, 0xc2, 0, 17, 8, 0, 0, 0, 0, 3])
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  return Buffer.concat([...parts, frame])
}

function webp(kind: 'VP8 ' | 'VP8L' | 'VP8X', width: number, height: number): Buffer {
  const head = Buffer.alloc(40)
  head.write('RIFF', 0)
  head.write(`WEBP${kind}`, 8)
  if (kind === 'VP8 ') {
    head.writeUInt16LE(width, 26)
    head.writeUInt16LE(height, 28)
  } else if (kind === 'VP8L') {
    head.writeUInt32LE((((height - 1) << 14) | (width - 1)) >>> 0, 21)
  } else {
    head.writeUIntLE(width - 1, 24, 3)
    head.writeUIntLE(height - 1, 27, 3)
  }
  return head
}

describe('the size of an image', () => {
  test.each([
    ['PNG', png(1_024, 768)],
    ['GIF', gif(1_024, 768)],
    ['JPEG', jpeg(1_024, 768)],
    ['JPEG behind 150 KB of metadata', jpeg(1_024, 768, 150_000)],
    ['lossy WebP', webp('VP8 ', 1_024, 768)],
    ['lossless WebP', webp('VP8L', 1_024, 768)],
    ['extended WebP', webp('VP8X', 1_024, 768)],
  ])('of a %s is read from its header', (_, bytes) => {
    expect(imageSize(dataUrl(bytes))).toEqual({ width: 1_024, height: 768 })
  })

  test.each([
    'https://example.org/a.png',
    'data:image/png,raw',
    'data:image/png;base64,',
    'data:image/png',
    dataUrl(jpeg(10, 10, 400_000)),
    dataUrl(png(0, 10)),
    dataUrl(Buffer.from('BM something else')),
  ])('of %.40s is not known', (url) => {
    expect(imageSize(url)).toBeUndefined()
  })

  test('is looked for in any bytes at once and without an exception', () => {
    const beginnings = [png(1, 1), gif(1, 1), jpeg(1, 1, 100), webp('VP8X', 1, 1), Buffer.from([0xff, 0xd8])]
    fc.assert(
      fc.property(fc.constantFrom(...beginnings), fc.nat(60), fc.uint8Array(), (beginning, at, noise) => {
        imageSize(dataUrl(Buffer.concat([beginning.subarray(0, at), noise])))
      }),
    )
    const endless = Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(300_000, 0xff)])
    expect(imageSize(dataUrl(endless))).toBeUndefined()
  })
})

describe('tokens of an image', () => {
  test.each([
    // OpenAI's own examples.
    [1_024, 1_024, 765],
    [2_048, 4_096, 1_105],
    [512, 512, 255],
    [100, 100, 255],
    [16_000, 1, 85 + 4 * 170],
    [8_000, 3_000, 85 + 4 * 2 * 170],
  ])('of %d x %d pixels are %d', (width, height, tokens) => {
    expect(imageTokens({ type: 'image_url', url: dataUrl(png(width, height)) })).toBe(tokens)
  })

  test('at low detail are 85, and 1,105 where the size is not known', () => {
    const url = 'https://example.org/a.png'
    expect(imageTokens({ type: 'image_url', url })).toBe(1_105)
    expect(imageTokens({ type: 'image_url', url, detail: 'low' })).toBe(85)
  })
})

test('an image of 5 MB counts as an image, and a conversation with history keeps all of it', () => {
  const url = dataUrl(png(3_000, 2_000, 3_900_000))
  expect(url.length).toBeGreaterThan(5_000_000)
  const text = { type: 'text', text: 'What is this?' } as const
  const asked: ModelMessage = { role: 'user', content: [text, { type: 'image_url', url }] }
  expect(messageTokens(asked)).toBeLessThan(1_500)
  const messages: readonly ModelMessage[] = [
    { role: 'user', content: 'word '.repeat(2_000) },
    { role: 'assistant', content: 'Yes.', toolCalls: [] },
    ...[asked, { role: 'user', content: 'And now?' } as const],
  ]
  expect(fitContext(messages, 10_000)).toBe(messages)
})

test('a text of any letters counts a quarter for a Latin one and half for any other', () => {
  expect(estimateTokens('abcd'.repeat(10))).toBe(10)
  expect(estimateTokens('אב'.repeat(10))).toBe(10)
  expect(estimateTokens('\u{1f600}'.repeat(10))).toBe(5)
  fc.assert(
    fc.property(
      anyText().map((text) => text.toWellFormed()),
      (text) => {
        const quarters = [...text].map((letter) => ((letter.codePointAt(0) ?? 0) < 0x250 ? 1 : 2))
        expect(estimateTokens(text)).toBe(Math.ceil(quarters.reduce((sum, one) => sum + one, 0) / 4))
      },
    ),
  )
})
