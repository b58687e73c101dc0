import { expect, test } from 'vitest'
import { readSegment } from '../../../src/sources/importers/markup.ts'

const marker = '<sup class="footnote-marker">1</sup>'
const note = (html: string) => `${marker}<i class="footnote">${html}</i>`

test.each([
  ['plain text stays as it is', 'נֵר – ״אור״ G–d', 'נֵר – ״אור״ G–d', []],
  [
    'a note is stored apart and its marker vanishes',
    `dawn,${note('A note.')} and day`,
    'dawn, and day',
    ['A note.'],
  ],
  [
    'italics in a note do not end it',
    `dawn${note('<i>See</i> a <i>b</i> c')}. Day`,
    'dawn. Day',
    ['See a b c'],
  ],
  ['a marker without a class vanishes', 'dawn<sup>*</sup> <i class="footnote">n</i> day', 'dawn day', ['n']],
  [
    'numbers of other notes vanish',
    'silence<sup>3</sup> alone,<sup>*</sup> נֵר<sup>12</sup>',
    'silence alone, נֵר',
    [],
  ],
  ['other raised letters stay', 'the 4<sup>th</sup> day', 'the 4th day', []],
  ['raised numbers behind numbers stay', '10<sup>3</sup> lamps', '103 lamps', []],
  ['punctuation after a note returns to its word', `dawn ${note('n')} , day`, 'dawn, day', ['n']],
  ['words that only a note held apart are parted', `dawn${note('n')}day`, 'dawn day', ['n']],
  ['two notes at one place', `a${note('n')}${note('m')} b`, 'a b', ['n', 'm']],
  ['page markers vanish', '<i data-overlay="P" data-value="[1]"></i> <i data-order="1"></i>text', 'text', []],
  ['images vanish', 'a <img src="data:image/png;base64,xx"> b', 'a b', []],
  ['line breaks stay', 'one<br>two<br/> three', 'one\ntwo\nthree', []],
  ['entities are decoded', 'a &amp; b &lt;c&gt; &quot;d&quot;&nbsp;e &#1488;', 'a & b <c> "d" e א', []],
  ['tags that cross each other', '<big><strong>Title</big></strong> rest', 'Title rest', []],
  ['a tag that is never closed', 'a <b>b c', 'a b c', []],
  [
    'an unclosed note keeps the text after it',
    `a${marker}<i class="footnote">note <i>x</i> body`,
    'a body',
    ['note x'],
  ],
  ['signs that are no tags', '2 < 3 and 5 > 4', '2 < 3 and 5 > 4', []],
  ['characters that no database takes', 'a\0b\ud800', 'ab\ufffd', []],
  ['a segment of nothing but markup is empty', '<i data-overlay="P"></i> <b></b>', '', []],
])('%s', (_, html, text, notes) => {
  expect(readSegment(html)).toEqual({ text, notes })
})
