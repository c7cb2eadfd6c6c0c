import { PipelineError } from '../../../../base/errors/errors.js'

/** The level of measurement: it says whether order and distances of values mean something. */
export type MeasurementLevel = 'nominal' | 'ordinal' | 'interval' | 'ratio'

/** One rating; null if the rater did not rate the item. */
export type Rating = number | string | null

/**
 * Computes Krippendorff's alpha of any number of raters, with missing ratings: one list for each rater, one place in it
 * for each item. 1 is perfect agreement, 0 is chance. Items with a single rating do not count.
 *
 * Source: Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011).
 *
 * @throws PipelineError if fewer than two values occur in items with two ratings, or if text has a level beyond nominal
 */
export function computeAlpha(ratings: readonly (readonly Rating[])[], level: MeasurementLevel = 'nominal'): number {
  const units = listUnits(ratings)
  const values = sortValues([...new Set(units.flat())])
  if (values.length < 2)
    throw new PipelineError(
      'usage',
      'Fewer than two different values occur in items with two ratings, so that alpha is undefined.',
    )
  if (level !== 'nominal' && !values.every(value => typeof value === 'number'))
    throw new PipelineError(
      'usage',
      `The level is ${level}, which needs numbers, and there are ratings that are text. Use the level nominal.`,
    )
  const places = new Map(values.map((value, i) => [value, i]))
  const counts = values.map(() => 0)
  const coincidences = values.map(() => values.map(() => 0))
  for (const unit of units) {
    const own = new Map<number, number>()
    for (const value of unit) {
      const place = places.get(value) ?? 0
      own.set(place, (own.get(place) ?? 0) + 1)
    }
    for (const [i, count] of own) {
      counts[i] = (counts[i] ?? 0) + count
      const row = coincidences[i] ?? []
      for (const [j, other] of own) row[j] = (row[j] ?? 0) + (count * (i === j ? other - 1 : other)) / (unit.length - 1)
    }
  }
  const distance = chooseDistance(level, values, counts)
  const total = counts.reduce((sum, count) => sum + count, 0)
  let [observed, expected] = [0, 0]
  for (const i of values.keys())
    for (let j = 0; j < i; j++) {
      observed += (coincidences[i]?.[j] ?? 0) * distance(i, j)
      expected += ((counts[i] ?? 0) * (counts[j] ?? 0) * distance(i, j)) / (total - 1)
    }
  return 1 - observed / expected
}

/** The ratings of each item that has at least two. */
function listUnits(ratings: readonly (readonly Rating[])[]): readonly (readonly (string | number)[])[] {
  const length = ratings[0]?.length ?? 0
  const odd = ratings.findIndex(rater => rater.length !== length)
  if (odd >= 0)
    throw new PipelineError(
      'usage',
      `Rater ${odd + 1} has ${ratings[odd]?.length ?? 0} places, and rater 1 has ${length}. Write null for a missing rating.`,
    )
  const units = Array.from({ length }, (_, item) => ratings.flatMap(rater => rater[item] ?? []))
  return units.filter(unit => unit.length > 1)
}

function sortValues(values: readonly (string | number)[]): readonly (string | number)[] {
  return values.toSorted((a, b) =>
    typeof a === 'number' && typeof b === 'number' ? a - b : String(a) < String(b) ? -1 : 1,
  )
}

/** Chooses the squared distance of two values, which are passed by their index in the order. */
function chooseDistance(
  level: MeasurementLevel,
  values: readonly (string | number)[],
  counts: readonly number[],
): (i: number, j: number) => number {
  const number = (i: number): number => Number(values[i])
  // Half of the ratings of a value lie below its middle, and half above.
  let below = 0
  const middles = counts.map(count => {
    below += count
    return below - count / 2
  })
  const distances: Readonly<Record<MeasurementLevel, (i: number, j: number) => number>> = {
    nominal: () => 1,
    ordinal: (i, j) => ((middles[i] ?? 0) - (middles[j] ?? 0)) ** 2,
    interval: (i, j) => (number(i) - number(j)) ** 2,
    ratio: (i, j) => (number(i) + number(j) === 0 ? 0 : ((number(i) - number(j)) / (number(i) + number(j))) ** 2),
  }
  return distances[level]
}
