/** Error rates and coverages of all methods over a grid, beside those of another program. The bounds are four standard errors wide. */
import { expect, test } from 'vitest'
import { compareRates, readKind, type RateRow } from '../../../../bench/simulations/golden-rates.js'
import { goldenRows } from '../../../support/golden.js'

const repetitions = 300
const rows = goldenRows<RateRow>('stats/simulation.jsonl.gz')

test.each([...new Set(rows.map(readKind))])(
  'the simulated rates of each method equal the reference in every golden row: %s',
  kind => {
    const compared = rows
      .filter(row => readKind(row) === kind)
      .flatMap((row, at) => compareRates(row, { repetitions, seed: at + 1 }))
    expect(compared).not.toHaveLength(0)
    expect(compared.filter(({ isAccepted }) => !isAccepted)).toEqual([])
  },
  60_000,
)
