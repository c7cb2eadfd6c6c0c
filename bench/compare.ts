import { join } from 'node:path'
import { atMost, median, megabytes, note, seconds, type Figure, type Measurement } from './measurement.js'
import { runProgram } from './program.js'
import { evalLine, trivialTask } from './trivial-task.js'

/** Measures the paired comparison of two long runs, and of six runs with each other. */
export const comparing: Measurement = {
  name: 'compare',
  async measure(folder) {
    return [
      ...(await compareRuns(folder, { runs: 2, docs: 100_000 })),
      ...(await compareRuns(folder, { runs: 6, docs: 10_000 })),
    ]
  },
}

async function compareRuns(
  folder: string,
  { runs, docs }: { readonly runs: number; readonly docs: number },
): Promise<readonly Figure[]> {
  const store = join(folder, `store-${docs}`)
  const task = await trivialTask(folder, docs)
  for (let run = 0; run < runs; run += 1) {
    // Each further word makes another model, which answers some docs otherwise.
    const words = Array.from({ length: 2 + run }, (_, word) => String(2 * word))
    const model = JSON.stringify({ mode: 'choose', words })
    await runProgram([...evalLine(task, store), '--model-args', model])
  }
  const references = Array.from({ length: runs }, (_, at) => (at === runs - 1 ? 'last' : `last~${runs - 1 - at}`))
  const line = ['compare', ...references, '--store', store, '--json']
  const used = [await runProgram(line), await runProgram(line), await runProgram(line)]
  return [
    atMost(
      `comparing ${runs} runs of ${docs.toLocaleString('en')} docs`,
      median(used.map(({ wall }) => wall)),
      3,
      seconds,
    ),
    note('  its CPU time', seconds(median(used.map(({ cpu }) => cpu)))),
    note('  its peak memory', megabytes(median(used.map(({ peak }) => peak)))),
  ]
}
