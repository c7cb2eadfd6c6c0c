import { expect, test } from 'vitest'
import { heldBytes } from '../../../stages/input/draft-doc.js'
import type { Rendered } from '../../../stages/input/render/renderer.js'

const shown = (content: Extract<Rendered, { type: 'rendered' }>['messages'][number]['content']): Rendered => ({
  type: 'rendered',
  messages: [{ role: 'user', content }],
  continuations: [undefined],
  record: { target: 'yes', doc: {} },
})

test("counts the bytes of a doc's media, and a long text several times", () => {
  const medium = { type: 'medium', source: new Uint8Array(1000) } as const
  expect(heldBytes(shown([medium]))).toBe(1000)
  expect(heldBytes(shown([medium, { type: 'text', text: 'x'.repeat(100_000) }]))).toBe(4_001_000)
})

test('counts the text of a medium that is inline in its row', () => {
  const text = 'data:image/png;base64,'.padEnd(5000, 'A')
  for (const source of [text, { bytes: text, path: null }])
    expect(heldBytes(shown([{ type: 'medium', source }]))).toBe(5000)
})
