import { expect, test } from 'vitest'
import { makeFence } from '../../../../stages/judge/judges/fence.js'
import { makeVerdictMark, readFromMenu } from '../../../../stages/judge/judges/verdict-lines.js'

const texts = { answer: 'Paris' }
const mark = makeVerdictMark(makeFence('{answer}', texts), texts)
const read = (reply: string): string => {
  const found = readFromMenu(mark, reply, ['CORRECT', 'INCORRECT'])
  return found.type === 'ruled' ? found.ruling : found.type
}

test.each([
  'VERDICT: CORRECT',
  'It names the capital.\nVERDICT: correct.',
  '**VERDICT: CORRECT**',
  '**VERDICT:** CORRECT',
  'VERDICT：CORRECT',
  'VERDICT: [CORRECT]',
  'VERDICT:\nCORRECT',
  '**VERDICT:**\nCORRECT',
  'VERDICT: INCORRECT\nNo, wait.\nVERDICT: CORRECT',
])('%j is a verdict', reply => {
  expect(read(reply)).toBe('CORRECT')
})

test.each([
  'CORRECT',
  'The verdict: CORRECT',
  'VERDICT:',
  'VERDICT: CORRECT or INCORRECT',
  'VERDICT: CORRECT\nVERDICT: maybe',
  'VERDICT:\n\nIt is hard to say.\nCORRECT',
])('%j is not a verdict', reply => {
  expect(read(reply)).toBe('unreadable')
})
