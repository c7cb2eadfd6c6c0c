export { seededRandom } from '../../bench/seeded-random.js'

/** A whole number from `min` to `max`, both included. */
export const between = (random: () => number, min: number, max: number): number =>
  min + Math.floor(random() * (max - min + 1))
