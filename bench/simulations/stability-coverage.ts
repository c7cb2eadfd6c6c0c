/** Coverage of the intervals of a run with several samples of each doc, by seeded simulation. */
import { measureRunStability } from '../../src/reading/stability/measure-run-stability.js'
import { makeDraws } from './draws.js'

/** Docs whose probability of a right answer is one of two, which are equally likely. */
export interface SimulatedSamples {
  readonly docs: number
  readonly samples: number
  readonly chances: readonly [number, number]
  readonly repetitions: number
  readonly seed: number
}

/** Simulates how often the intervals of expected accuracy, consensus, consistency, variance, pass@2 and pass^2 hold the true value. */
export function simulateStability({
  docs,
  samples,
  chances,
  repetitions,
  seed,
}: SimulatedSamples): Readonly<Record<string, number>> {
  const { uniform } = makeDraws(seed)
  const average = (read: (chance: number) => number): number => (read(chances[0]) + read(chances[1])) / 2
  const choose = (right: number): number => {
    let ways = 1
    for (let k = 1; k <= right; k++) ways *= (samples - right + k) / k
    return ways
  }
  const likelihood = (chance: number, right: number): number =>
    choose(right) * chance ** right * (1 - chance) ** (samples - right)
  const truths: Record<string, number> = {
    expected: average(chance => chance),
    consensus: average(chance => {
      let sum = 0
      for (let right = Math.floor(samples / 2) + 1; right <= samples; right++) sum += likelihood(chance, right)
      return sum
    }),
    consistency: average(chance => chance ** samples + (1 - chance) ** samples),
    variance: average(chance => chance * (1 - chance)),
    passAt2: average(chance => 1 - (1 - chance) ** 2),
    passHat2: average(chance => chance ** 2),
  }
  const covered: Record<string, number> = {}
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const drawn = Array.from({ length: docs }, (_, doc) => {
      const chance = chances[uniform() < 0.5 ? 0 : 1]
      const scores = Array.from({ length: samples }, () => Number(uniform() < chance))
      return { id: String(doc), scores, answers: scores.map(String) }
    })
    const { expectedAccuracy, consensusAccuracy, internalVariance, consistencyRate, attempts } =
      measureRunStability(drawn)
    const two = attempts.find(({ k }) => k === 2)
    const found = {
      ...{ expected: expectedAccuracy, consensus: consensusAccuracy, consistency: consistencyRate },
      ...{ variance: internalVariance, passAt2: two?.passAtK, passHat2: two?.passHatK },
    }
    for (const [name, truth] of Object.entries(truths)) {
      const [low, high] = found[name as keyof typeof found]?.interval ?? [Infinity, -Infinity]
      covered[name] = (covered[name] ?? 0) + Number(low <= truth && truth <= high) / repetitions
    }
  }
  return covered
}
