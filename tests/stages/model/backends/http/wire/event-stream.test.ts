import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EventStream, type ServerEvent } from '../../../../../../stages/model/backends/http/wire/event-stream.js'

function eventsOf(pieces: readonly (string | Buffer)[]): readonly ServerEvent[] {
  const events: ServerEvent[] = []
  const stream = new EventStream(event => events.push(event))
  for (const piece of pieces) stream.write(Buffer.from(piece))
  stream.end()
  return events
}

const message = (data: string): ServerEvent => ({ type: 'message', data })

test.each([
  ['one event', 'data: a\n\n', [message('a')]],
  ['two events', 'data: a\n\ndata: b\n\n', [message('a'), message('b')]],
  ['lines that end as in Windows', 'data: a\r\n\r\ndata: b\r\n\r\n', [message('a'), message('b')]],
  ['lines that end as in old Macs', 'data: a\r\rdata: b\r\r', [message('a'), message('b')]],
  ['several lines of data', 'data: a\ndata: b\ndata:\n\n', [message('a\nb\n')]],
  ['comments, which keep a connection alive', ': OPENROUTER PROCESSING\n\n:\ndata: a\n\n', [message('a')]],
  ['names of events', 'event: ping\ndata: {}\n\ndata: a\n\n', [{ type: 'ping', data: '{}' }, message('a')]],
  ['a name without data, which is no event', 'event: ping\n\ndata: a\n\n', [message('a')]],
  ['no space after the colon, and more than one', 'data:a\n\ndata:  b\n\n', [message('a'), message(' b')]],
  ['fields of no meaning here', 'id: 7\nretry: 3\nother: x\ndata: a\n\n', [message('a')]],
  ['a field without a colon', 'data\n\n', [message('')]],
  ['a byte order mark', '\uFEFFdata: a\n\n', [message('a')]],
  ['an end without the empty line', 'data: a\n\ndata: b', [message('a'), message('b')]],
  ['nothing', '', []],
])('%s', (_, text, events) => {
  expect(eventsOf([text])).toEqual(events)
})

test('parses a stream the same wherever it is split', () => {
  const line = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', 'ü', '🦦', ' ', ':', '\uFEFF'), maxLength: 6 }).map(text => `data: ${text}`),
    fc.constantFrom('', '', 'event: x', ': comment', 'data: 🦦 naïve'),
  )
  const lines = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 12 })
  fc.assert(
    fc.property(lines, fc.array(fc.nat(200), { maxLength: 8 }), (parts, cuts) => {
      const bytes = Buffer.from(parts.flat().join(''))
      const at = [...new Set(cuts.map(cut => Math.min(cut, bytes.length)))].sort((one, other) => one - other)
      const pieces = [...at, bytes.length].map((end, index) => bytes.subarray(at[index - 1] ?? 0, end))
      expect(eventsOf(pieces)).toEqual(eventsOf([bytes]))
    }),
  )
})
