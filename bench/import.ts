import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { longLogs } from './long-logs.js'
import { atMost, megabytes, note, seconds, type Figure, type Measurement } from './measurement.js'
import { runProgram } from './program.js'

const samples = 200_000

/** Measures the import of logs with 200,000 samples, one of each tool. */
export const importing: Measurement = {
  name: 'import',
  isLarge: true,
  async measure(folder) {
    const figures: Figure[] = []
    for (const [name, make] of Object.entries(longLogs)) {
      const [log, store] = [join(folder, 'log'), join(folder, 'store')]
      await mkdir(log)
      const path = await make(log, samples)
      const [tool = ''] = name.split(' ')
      const used = await runProgram(['import', '--from', tool, path, '--store', store])
      figures.push(
        atMost(`CPU time of importing 200,000 samples of ${name}`, used.cpu, 120, seconds),
        atMost('  its memory', used.peak, 300, megabytes),
        note('  its time from start to end', seconds(used.wall)),
      )
      await rm(log, { recursive: true })
      await rm(store, { recursive: true })
    }
    return figures
  },
}
