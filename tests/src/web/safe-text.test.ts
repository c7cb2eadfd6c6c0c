import { describe, expect, it } from 'vitest'
import { takeBeginning } from '../../../base/text/beginning.js'
import { formatLine, splitText, safeLink, visibleText } from '../../../src/web/parts/safe-text.js'

describe('visibleText', () => {
  it('names characters that hide, reorder or overwrite text', () => {
    expect(visibleText('\u001b[31mred\u0000\u007f')).toBe('⟦ESC⟧[31mred⟦NUL⟧⟦DEL⟧')
    expect(visibleText('\u202egnp.exe\u202c\u2066\u200b\ufeff\u0085')).toBe(
      '⟦U+202E⟧gnp.exe⟦U+202C⟧⟦U+2066⟧⟦U+200B⟧⟦U+FEFF⟧⟦U+0085⟧',
    )
    expect(visibleText('\u{e0041}\ud800')).toBe('⟦U+E0041⟧⟦U+D800⟧')
  })

  it('keeps whitespace, emoji and scripts unchanged', () => {
    const text = 'a\tb\r\nc\n👩‍👩‍👧 नमस्ते مرحبا 你好'
    expect(visibleText(text)).toBe(text)
    expect(visibleText('overwritten\rshown')).toBe('overwritten⟦CR⟧shown')
  })

  it('handles a line of 10 MB quickly', () => {
    const text = 'x\u202e'.repeat(5_000_000)
    const start = performance.now()
    expect(formatLine(text)).toHaveLength(100 * '⟦U+202E⟧x'.length + '…'.length)
    expect(takeBeginning(text, 20_000)).toHaveLength(20_000)
    expect(performance.now() - start).toBeLessThan(200)
  })
})

describe('piecesOf', () => {
  it('marks spans, joins those that overlap, and ignores what is outside', () => {
    expect(
      splitText('abcdef', [
        [4, 9],
        [1, 3],
        [2, 4],
        [7, 8],
      ]),
    ).toEqual([
      { text: 'a', isMarked: false },
      { text: 'bc', isMarked: true },
      { text: 'd', isMarked: true },
      { text: 'ef', isMarked: true },
    ])
    expect(splitText('abc', [])).toEqual([{ text: 'abc', isMarked: false }])
  })
})

it('splits no surrogate pair', () => {
  expect(takeBeginning('ab😀', 3)).toBe('ab')
  expect(takeBeginning('ab😀', 4)).toBe('ab😀')
})

it.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'no address', ' java\nscript:alert(1)'])(
  'creates no link for %j',
  address => expect(safeLink(address)).toBeUndefined(),
)

it('creates links for web addresses', () => {
  expect(safeLink('https://example.org/a.png')).toBe('https://example.org/a.png')
})
