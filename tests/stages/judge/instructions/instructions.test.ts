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

describe('whether an answer follows', () => {
  it.each([...new Set(rows.map(({ id }) => id))])('%s is said as the reference says it', id => {
    for (const row of rows.filter(one => one.id === id)) {
      expect(follows(row.response, row), JSON.stringify(row)).toBe(row.strict)
      expect(followsLoosely(row.response, row), JSON.stringify(row)).toBe(row.loose)
    }
  })

  it('takes a count of zero as it stands, where the reference draws another at random', () => {
    const given = { id: 'length_constraints:number_words', args: { num_words: 0, relation: 'at least' } }
    expect(follows('one', given)).toBe(true)
  })

  it('counts a letter that is none as it stands, where the reference draws another at random', () => {
    const args = { letter: '#', let_frequency: 2, let_relation: 'at least' }
    expect(follows('#one #two', { id: 'keywords:letter_frequency', args })).toBe(true)
    expect(follows('#one two', { id: 'keywords:letter_frequency', args })).toBe(false)
  })

  it('names the argument that is missing, and an instruction that is none', () => {
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
