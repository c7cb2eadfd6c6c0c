import { describe, expect, it } from 'vitest'
import { answerCharacters, fitValue } from '../../../../src/service/mcp/fitted.js'

const sizeOf = (value: unknown): number => JSON.stringify(value).length

describe('an answer', () => {
  it('stays unchanged while it fits', () => {
    expect(fitValue({ a: ['x', 1, null], b: { c: true } })).toEqual({
      value: { a: ['x', 1, null], b: { c: true } },
      cut: [],
    })
  })

  it('keeps the beginning of a long text and says how much is missing', () => {
    const { value, cut } = fitValue({ id: 'r1', text: 'x'.repeat(300_000) })
    expect(value).toMatchObject({ id: 'r1' })
    expect(value).toHaveProperty('text', `${'x'.repeat(20_000)}… (280000 more characters)`)
    expect(cut).toEqual(['text: 20000 of 300000 characters'])
  })

  it('keeps the first entries of a list that is too long', () => {
    const { value, cut } = fitValue({
      rows: Array.from({ length: 5000 }, (_, index) => ({ index, text: 'y'.repeat(40) })),
    })
    expect(cut).toEqual(['rows: 500 of 5000 entries'])
    expect(value).toHaveProperty('rows.499.index', 499)
    expect(value).not.toHaveProperty('rows.500')
  })

  it('keeps the first fields of an object with too many', () => {
    const scores = Object.fromEntries(Array.from({ length: 9000 }, (_, index) => [`task${index}`, { value: index }]))
    const { value, cut } = fitValue({ scores })
    expect(cut).toEqual(['scores: 2000 of 9000 fields'])
    expect(sizeOf(value)).toBeLessThanOrEqual(answerCharacters)
  })

  it('never exceeds the limit, including its notes', () => {
    const rows = Array.from({ length: 300 }, () => ({ texts: Array.from({ length: 30 }, () => 'z'.repeat(3000)) }))
    const { value, cut } = fitValue({ rows })
    expect(sizeOf({ value, cut })).toBeLessThanOrEqual(answerCharacters + 100)
    expect(cut).toHaveLength(20)
    expect(cut.at(-1)).toMatch(/^and \d+ more fields$/)
  })

  it('is rejected if no truncation makes it small enough', () => {
    const deep = (depth: number): object =>
      depth === 0
        ? {}
        : Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`field${index}`, deep(depth - 1)]))
    expect(() => fitValue(deep(3))).toThrow('the answer is larger than 100000 characters')
  })

  it('does not split a character', () => {
    const { value } = fitValue({ text: `${'x'.repeat(19_999)}${'🙂'.repeat(60_000)}` })
    expect(value).toHaveProperty('text', expect.stringMatching(/x… \(\d+ more characters\)$/))
  })

  it('names media and omits their bytes', () => {
    const bytes = `${'iVBORw0KGgoA'.repeat(50)}AA==`
    const { value, cut } = fitValue({
      text: `see data:image/png;base64,${bytes} there`,
      part: { mimeType: 'audio/wav', data: bytes },
      source: { type: 'base64', media_type: 'image/jpeg', data: bytes },
      data: 'plain',
    })
    expect(value).toEqual({
      text: 'see (image/png, not shown) there',
      part: { mimeType: 'audio/wav', data: '(bytes, not shown)' },
      source: { type: 'base64', media_type: 'image/jpeg', data: '(bytes, not shown)' },
      data: 'plain',
    })
    expect(cut).toEqual([])
  })
})
