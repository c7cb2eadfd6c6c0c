export { seededRandom } from '../../bench/seeded-random.js'

/** Returns an integer from `min` to `max`, inclusive. */
export const between = (random: () => number, min: number, max: number): number =>
  min + Math.floor(random() * (max - min + 1))
