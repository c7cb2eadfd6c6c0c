import { join } from 'node:path'
import { answerTimes } from './answer-times.js'
import { atMost, note, perSecond, seconds, type Measurement } from './measurement.js'
import { runProgram } from './program.js'

const slowest = 60

/** Measures the quick start with a real model on this machine. */
export const quickStart: Measurement = {
  name: 'quick-start',
  async measure(folder) {
    const store = join(folder, 'store')
    const line = ['eval', '--config', 'examples/quickstart.yaml', '--store', store, '--quiet']
    const first = await runProgram(line)
    const { rate, answers } = answerTimes(store)
    const again = await runProgram(line)
    return [
      {
        what: `quick start, ${answers} items: items a second`,
        measured: perSecond(rate),
        limit: `≥ ${perSecond(slowest)}`,
        isOver: rate < slowest,
      },
      atMost('  the whole line', first.wall, 30, seconds),
      atMost('  the same line again', again.wall, 1.5, seconds),
      note('  its CPU time', seconds(again.cpu)),
    ]
  },
}
