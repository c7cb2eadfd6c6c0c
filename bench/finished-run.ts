import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { atMost, median, note, seconds, type Measurement } from './measurement.js'
import { runProgram, startProgram } from './program.js'
import { evalLine, trivialTask } from './trivial-task.js'

const docs = 200_000
const killedAt = 190_000

/** Measures how soon a run continues that was killed near its end, and how long a complete run takes to find that nothing is left to do. */
export const finishedRun: Measurement = {
  name: 'finished-run',
  async measure(folder) {
    const store = join(folder, 'store')
    const line = evalLine(await trivialTask(folder, docs), store)
    await killWhen(line, () => newestAnswer(store) >= killedAt)
    const before = newestAnswer(store)
    const startedAt = performance.now()
    const again = startProgram(line)
    while (newestAnswer(store) === before) await sleep(5)
    const resumed = (performance.now() - startedAt) / 1000
    await again.ended
    const same = [await runProgram(line), await runProgram(line), await runProgram(line)]
    const fresh = await runProgram([...line, '--new-run'])
    return [
      atMost(`first new answer after a kill at ${before.toLocaleString('en')} of 200,000`, resumed, 2, seconds),
      atMost('the same line over 200,000 finished samples', median(same.map(({ wall }) => wall)), 1.5, seconds),
      note('  its CPU time', seconds(median(same.map(({ cpu }) => cpu)))),
      atMost('a new run whose 200,000 answers are all there', fresh.wall, 15, seconds),
      note('  its CPU time', seconds(fresh.cpu)),
    ]
  },
}

async function killWhen(line: readonly string[], isTime: () => boolean): Promise<void> {
  const { child, ended } = startProgram(line)
  const hasEnded = ended.then(() => true)
  while (!isTime()) {
    if (await Promise.race([hasEnded, sleep(50, false)])) throw new Error('the run ended before it could be killed')
  }
  child.kill('SIGKILL')
  await ended.catch(() => undefined)
}

/** Returns the number of the newest answer, or 0 if there is none. */
function newestAnswer(store: string): number {
  const file = join(store, 'store.sqlite')
  if (!existsSync(file)) return 0
  const db = new Database(file, { readonly: true })
  try {
    const hasTable = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'response'").get() !== undefined
    if (!hasTable) return 0
    return db.prepare<[], { seq: number | null }>('SELECT max(seq) AS seq FROM response').get()?.seq ?? 0
  } finally {
    db.close()
  }
}
