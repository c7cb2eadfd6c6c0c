import { expect, it } from 'vitest'
import { detectLanguage } from '../../../../../stages/judge/text/detect-language.js'
import { goldenRows } from '../../../../support/golden.js'

const rows = goldenRows<{ readonly text: string; readonly language: string | null }>('text/languages.jsonl.gz')

it(`detects the language of ${rows.length} texts as langdetect does with the seed 0`, () => {
  const others = rows.filter(({ text, language }) => (detectLanguage(text) ?? null) !== language)
  expect(others).toEqual([])
})

it('detects no language in a text without letters of a language', () => {
  expect(detectLanguage('123 – 456')).toBeUndefined()
  expect(detectLanguage('\u{13000}\u{13001}')).toBeUndefined()
})
