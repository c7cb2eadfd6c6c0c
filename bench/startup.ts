import { atMost, median, seconds, type Measurement } from './measurement.js'
import { timeNode, timeVersion } from './program.js'

const rounds = 9

/** Measures how long the program takes to print its version, the minimum for every command. */
export const startup: Measurement = {
  name: 'startup',
  async measure() {
    const bare: number[] = []
    const ours: number[] = []
    await timeVersion()
    for (let round = 0; round < rounds; round += 1) {
      bare.push(await timeNode(['-e', '0']))
      ours.push(await timeVersion())
    }
    const limit = Math.max(0.2, median(bare) + 0.1)
    return [atMost(`version (bare node ${seconds(median(bare))})`, median(ours), limit, seconds)]
  },
}
