import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../cache/records.js'
import { follows, followsLoosely } from '../../../../stages/judge/instructions/instructions.js'
import { goldenRows } from '../../../support/golden.js'

interface Row {
  readonly id: string
  readonly args: JsonObject
  readonly response: string
  readonly strict: boolean
  readonly loose: boolean
}

const rows = goldenRows<Row>('text/instructions.jsonl.gz')

describe('following an instruction', () => {
  it.each([...new Set(rows.map(({ id }) => id))])('%s is decided as in the reference', id => {
    for (const row of rows.filter(one => one.id === id)) {
      expect(follows(row.response, row), JSON.stringify(row)).toBe(row.strict)
      expect(followsLoosely(row.response, row), JSON.stringify(row)).toBe(row.loose)
    }
  })

  it('takes a count of zero literally, where the reference draws a random one', () => {
    const given = { id: 'length_constraints:number_words', args: { num_words: 0, relation: 'at least' } }
    expect(follows('one', given)).toBe(true)
  })

  it('counts a sign that is not a letter, where the reference draws a random letter', () => {
    const args = { letter: '#', let_frequency: 2, let_relation: 'at least' }
    expect(follows('#one #two', { id: 'keywords:letter_frequency', args })).toBe(true)
    expect(follows('#one two', { id: 'keywords:letter_frequency', args })).toBe(false)
  })

  it('names a missing argument and an unknown instruction', () => {
    const id = 'keywords:frequency'
    expect(() => follows('one', { id, args: { keyword: 'one', relation: 'at least' } })).toThrow(
      'keywords:frequency: the argument "frequency" must be a number from 0, not absent',
    )
    expect(() => follows('one', { id, args: { keyword: 'one', frequency: 1, relation: 'more than' } })).toThrow(
      'the argument "relation" must be "less than" or "at least", not "more than"',
    )
    expect(() => follows('one', { id: 'keywords:existance', args: {} })).toThrow('keywords:existence')
  })
})
