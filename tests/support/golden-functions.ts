import { describe, expect, test } from 'vitest'
import type { Json } from '../../base/values/canonical-json.js'
import { goldenRows } from './golden.js'
import { sameWithin } from './golden-tolerance.js'

interface Row {
  readonly id: string
  readonly fn: string
  readonly input: Json
  readonly params: Json
  readonly expected: Json
  /** The reference's value is wrong, and `right` is right. */
  readonly lmms_eval_flaw?: boolean
  readonly right?: Json
}

/**
 * Computes our value for a row. With `flawed`, the expected value is the right one, not the reference's. Each function declares the types of its
 * rows.
 */
export type Ours = (input: never, params: never, flawed: boolean) => unknown

/** Compares functions with all rows of a golden file of lmms-eval's functions, and with the rows of random text. A row with `{error}` must throw. */
export function describeGolden(file: string, functions: Readonly<Record<string, Ours>>): void {
  describe(file, () => {
    const rows = goldenRows<Row>(`metrics/${file}.jsonl.gz`)
    const nameOf = (row: Row): string => row.fn.replace('lmms_eval.', '')
    const random = goldenRows<Row>('metrics/lmms_random.jsonl.gz')
    for (const [name, ours] of Object.entries(functions)) {
      const own = [...rows, ...random].filter(row => nameOf(row) === name)
      test(`${name}: equals the reference, or the right value where that is wrong (${own.length} rows)`, () => {
        expect(own.flatMap(row => mistake(row, ours))).toEqual([])
      })
    }
    test(`all ${rows.length} rows belong to these functions`, () => {
      expect(rows.filter(row => !(nameOf(row) in functions))).toEqual([])
    })
  })
}

function mistake({ id, input, params, expected, right, lmms_eval_flaw: flawed = false }: Row, ours: Ours): object[] {
  const wanted = flawed ? right : expected
  const throws = typeof wanted === 'object' && wanted !== null && 'error' in wanted
  const ask = (): unknown => ours(input as never, params as never, flawed)
  if (throws) {
    expect(ask, id).toThrow()
    return []
  }
  const got = ask()
  return sameWithin(got, wanted) ? [] : [{ id, input, wanted, got }]
}
