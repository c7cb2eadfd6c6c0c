import fc from 'fast-check'
import { expect, test } from 'vitest'
import { command, option } from '../../../../base/errors/option-words.js'
import { terminalOn } from '../../../../src/cli/display/terminal.js'
import { paintFor } from '../../../../src/present/text/layout/paint.js'

/** Every character that could act, more often than chance would give it. */
const anyText = fc.string({
  unit: fc.oneof(
    fc.integer({ min: 0, max: 0x9f }).map(code => String.fromCharCode(code)),
    fc.constantFrom('\u202e', '\u2066', '\u200f', '\u2028', '\ud800', '\u001b[', '\u001b[31m', '\u001b[2J', '7;31m'),
    fc.string({ unit: 'grapheme', maxLength: 1 }),
  ),
})

const acting = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}]/u

function terminal(columns: number, useColour = false) {
  const written: string[] = []
  const write = (text: string): void => void written.push(text)
  const paint = paintFor(useColour, () => columns)
  const shown = terminalOn({ out: write, err: write, isLive: true, paint: { out: paint, err: paint } })
  return { shown, text: () => written.join('') }
}

test('removes terminal control characters from any text on any stream', () => {
  fc.assert(
    fc.property(anyText, text => {
      const { shown, text: all } = terminal(40)
      shown.print([text, `a ${text}`])
      shown.tell(text)
      expect(all().replace(/[\n\t]/g, '')).not.toMatch(acting)
      const live = terminal(40)
      live.shown.repaint(() => [text])
      expect(live.text().replace(/\n$/, '').replaceAll('\t', '')).not.toMatch(acting)
    }),
  )
})

test('JSON with such characters parses to the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), anyText, (value, text) => {
      const { shown, text: all } = terminal(20)
      shown.printData(JSON.stringify({ value, text }, undefined, 2))
      expect(JSON.parse(all())).toEqual(JSON.parse(JSON.stringify({ value, text })))
      expect(all().replace(/\n/g, '')).not.toMatch(acting)
    }),
  )
})

test('spells references to options and commands on any stream', () => {
  fc.assert(
    fc.property(fc.string(), fc.dictionary(fc.string(), fc.string()), (value, args) => {
      const said = `a ${option('store', value)} b ${option('modelArgs', args)} c ${command('resume', [value], { store: value })}`
      const { shown, text } = terminal(200)
      shown.tell(said)
      shown.print([said])
      shown.printData(JSON.stringify({ said }))
      shown.repaint(() => [said])
      expect(text()).not.toMatch(/[\uE0F0-\uE0F2]/)
      expect(text()).toMatch(/--store[^]*--model-args[^]*pipeline resume/)
    }),
  )
})

test("shows the program's own colours, and removes those in a text", () => {
  const { shown, text } = terminal(80, true)
  shown.print(shown.paint.out.red('a\u001b[32mb'))
  expect(text()).toBe('\u001b[31mab\u001b[39m\n')
})

test('indents text after a line break, so that it cannot look like another message', () => {
  const { shown, text } = terminal(80)
  shown.tell('no task "a\nerror: b"')
  expect(text()).toBe('no task "a\n  error: b"\n')
})
