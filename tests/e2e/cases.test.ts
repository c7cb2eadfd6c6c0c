import { describe, expect, it } from 'vitest'
import { findDifferences, listCases, parseExpectation, runCase } from '../support/case-folder.js'

const titleOf = (name: string, missing: readonly string[]): string =>
  `gives what is right: ${name}${missing.length > 0 ? ` (skipped: ${missing.join(', ')} is not installed)` : ''}`

describe('cases that once gave a wrong result', async () => {
  for (const { name, missing } of await listCases())
    it.skipIf(missing.length > 0).concurrent(titleOf(name, missing), async ({ expect: expectHere }) => {
      const { expected, outcome } = await runCase(name)
      expectHere(findDifferences(expected, outcome), outcome.output).toEqual([])
    })
})

describe('the comparison of a case with what is right', () => {
  const expected = parseExpectation('exit 1\nfirst\nsecond\n! internal error\n')

  it('accepts an output that contains the texts in their order', () => {
    expect(findDifferences(expected, { output: 'the first\nother\na second', exitCode: 1 })).toEqual([])
  })

  it('names a missing text, a wrong order, a text that must not occur and another exit code', () => {
    expect(findDifferences(expected, { output: 'second\nfirst\ninternal error: x', exitCode: 0 })).toEqual([
      'The exit code is 0, not 1.',
      'No line from line 3 on contains: second',
      'The output contains: internal error',
    ])
  })
})
