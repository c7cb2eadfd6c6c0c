import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { atMost, megabytes, note, seconds, type Measurement } from './measurement.js'
import { runProgram, runScript } from './program.js'
import { evalLine } from './trivial-task.js'

const usualRows = 200_000
const largeRows = 1_000_000

const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** Reads a Parquet file of images in very large row groups completely as docs, and evaluates it: 1 GB, or 5 GB with `--large`. */
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
    const evaluated = await runProgram(evalLine(await questions(folder), join(folder, 'store')))
    return [
      atMost(`${(size / 1e9).toFixed(1)} GB of Parquet, 100,000 rows a group: peak memory`, used.peak, 300, megabytes),
      atMost('  until the first doc', firstMs / 1_000, 2, seconds),
      note('  all docs', seconds(used.wall)),
      atMost('  its questions asked, judged and sealed: peak memory', evaluated.peak, 300, megabytes),
    ]
  },
}

/** Writes a task with the questions of the file, for the in-process model. */
async function questions(folder: string): Promise<{ readonly name: string; readonly folder: string }> {
  const name = 'pictured'
  const rules = `task: ${name}
dataset_path: pictures.parquet
output_type: generate_until
doc_to_text: "{{question}}"
doc_to_target: "{{id}}"
metric_list:
  - metric: exact_match
`
  await writeFile(join(folder, `${name}.yaml`), rules)
  return { name, folder }
}
