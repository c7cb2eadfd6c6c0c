/**
 * Creates a fast generator of whole numbers from 0 below 2³², for simulations. Use `pythonRandom` where Python draws the
 * same values.
 *
 * Source: Doty-Humphrey, sfc32 of PractRand (2010): a 128-bit state with a period of at least 2³².
 *
 * @param seed a whole number from 0 below 2³²
 */
export function createSeededRandom(seed: number): () => number {
  let [a, b, c, counter] = [0, 0, seed | 0, 1]
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  // The first numbers of neighbouring seeds are alike.
  for (let i = 0; i < 15; i++) next()
  return next
}
