import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { atMost, megabytes, note, seconds, type Measurement } from './measurement.js'
import { runScript } from './program.js'

const usualRows = 200_000
const largeRows = 1_000_000

const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** A Parquet file of pictures in very large row groups, read from end to end as docs: 1 GB, or 5 GB with `--large`. */
export const parquet: Measurement = {
  name: 'parquet',
  isLarge: true,
  async measure(folder, options) {
    const count = options.large ? largeRows : usualRows
    const file = join(folder, 'pictures.parquet')
    await runScript([script('./parquet-writer.js'), file, String(count)])
    const used = await runScript([script('./parquet-reader.js'), file])
    const { firstMs, rows } = JSON.parse(used.stdout) as { firstMs: number; rows: number }
    if (rows !== count) throw new Error(`read ${rows} rows of ${count}`)
    const { size } = await stat(file)
    return [
      atMost(`${(size / 1e9).toFixed(1)} GB of Parquet, 100,000 rows a group: peak memory`, used.peak, 300, megabytes),
      atMost('  until the first doc', firstMs / 1_000, 2, seconds),
      note('  all docs', seconds(used.wall)),
    ]
  },
}
