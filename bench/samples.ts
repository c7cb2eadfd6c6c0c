import { join } from 'node:path'
import { timeBareInserts } from './bare-inserts.js'
import { atMost, megabytes, note, seconds, times, type Figure, type Measurement } from './measurement.js'
import { runProgram } from './program.js'
import { evalLine, trivialTask } from './trivial-task.js'

const docs = 10_000

/** Measures trivial samples from file to table with an in-process model, all durable. */
export const samples: Measurement = {
  name: 'samples',
  async measure(folder) {
    const bare = timeBareInserts(folder, docs)
    const used = await runProgram(evalLine(await trivialTask(folder, docs), join(folder, 'store')))
    return [
      atMost('10,000 samples, end to end', used.wall, 6, seconds),
      note('  its CPU time', seconds(used.cpu)),
      note('  against a bare insert of 10,000 rows', `${seconds(bare)}, ${times(used.wall / bare)}`),
      atMost('  its peak memory', used.peak, 200, megabytes),
    ]
  },
}

/** Measures scoring stored answers again with a changed rule. */
export const rescoring: Measurement = {
  name: 'rescoring',
  async measure(folder) {
    const store = join(folder, 'store')
    const task = await trivialTask(folder, docs)
    await runProgram(evalLine(task, store))
    await task.score('ignore_punctuation: true')
    const used = await runProgram(['judge', 'last', '--include-path', task.folder, '--store', store, '--quiet'])
    return [atMost('rescoring 10,000 answers', used.wall, 1, seconds), note('  its CPU time', seconds(used.cpu))]
  },
}

/** Measures the cost of one more sample in a large run. */
export const scaling: Measurement = {
  name: 'scaling',
  async measure(folder, { large }) {
    const few = await costOf(folder, docs)
    const figures: Figure[] = []
    for (const many of large ? [100_000, 1_000_000] : [100_000]) {
      const cost = await costOf(folder, many)
      const count = many.toLocaleString('en')
      figures.push(atMost(`a sample's time at ${count} against 10,000`, cost.wall / few.wall, 1.2, times))
      figures.push(note('  its CPU time', `${times(cost.cpu / few.cpu)}, ${(1e6 * cost.cpu).toFixed(0)} µs`))
    }
    return figures
  },
}

/** Seconds per sample. */
async function costOf(folder: string, count: number): Promise<{ wall: number; cpu: number }> {
  const { wall, cpu } = await runProgram(evalLine(await trivialTask(folder, count), join(folder, `store-${count}`)))
  return { wall: wall / count, cpu: cpu / count }
}
