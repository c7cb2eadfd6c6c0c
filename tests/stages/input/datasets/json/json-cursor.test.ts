import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openJsonCursor, type JsonCursor } from '../../../../../stages/input/datasets/json/json-cursor.js'

/** A cursor over chunks of a text, and the number of chunks that it took. */
function cut(text: string, size: number) {
  let taken = 0
  const pieces = async function* () {
    for (let at = 0; at < text.length; at += size) {
      taken += 1
      yield await Promise.resolve(text.slice(at, at + size))
    }
  }
  return { cursor: openJsonCursor(pieces()), taken: () => taken }
}

async function itemsOf(cursor: JsonCursor): Promise<unknown[]> {
  const items: unknown[] = []
  await cursor.take()
  while ((await cursor.peek()) !== ']') {
    items.push(JSON.parse(await cursor.value()))
    if ((await cursor.peek()) === ',') await cursor.take()
  }
  return items
}

test('reads the values of a list wherever the text is split and however it is indented', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 4 }),
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom(undefined, 1, '\t'),
      async (values, size, indent) => {
        const text = JSON.stringify(values, undefined, indent)
        expect(await itemsOf(cut(text, size).cursor)).toEqual(JSON.parse(text))
      },
    ),
  )
})

test('skips a whole value', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.integer({ min: 1, max: 9 }), async (value, size) => {
      const { cursor } = cut(` ${JSON.stringify(value)} ,`, size)
      await cursor.skip()
      expect(await cursor.peek()).toBe(',')
    }),
  )
})

test('brackets, quotes and backslashes inside strings end nothing', async () => {
  const text = JSON.stringify([{ a: '}]"\\' }, '\\"[', '{'])
  for (let size = 1; size < text.length; size++) expect(await itemsOf(cut(text, size).cursor)).toEqual(JSON.parse(text))
})

test('returns the line of the next token', async () => {
  const { cursor } = cut('\n[ {\n"a": 1 },\n\n  2 ]', 3)
  const lines: number[] = []
  for (const step of ['take', 'value', 'take', 'value', 'take'] as const) {
    await cursor.peek()
    lines.push(cursor.line())
    await cursor[step]()
  }
  expect(lines).toEqual([2, 2, 3, 5, 5])
})

test('takes no more text than requested', async () => {
  const { cursor, taken } = cut(`[${'{"a": 1},'.repeat(1_000)}2]`, 10)
  await cursor.take()
  await cursor.value()
  expect(taken()).toBe(1)
})
