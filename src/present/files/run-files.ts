/** The files of a run's results: JSON, samples and a plot. */
import { join } from 'node:path'
import { writeWhole } from '../../../base/files/write-whole.js'
import { namesOfFiles } from '../../../base/files/written-file.js'
import type { Store } from '../../../cache/store.js'
import { addRounds } from '../../model/kept-conversations.js'
import { resultsJson, type Results } from '../json/results-json.js'
import { sampleJson } from '../json/sample-json.js'
import { throughputSvg } from './throughput-svg.js'

/**
 * Writes `results.json`, `throughput.svg` and, with `store`, `samples_<task>.jsonl` into an existing folder. Files are written atomically.
 *
 * @returns the files
 */
export async function writeRunFiles(
  folder: string,
  results: Results,
  store: Store | undefined,
): Promise<readonly string[]> {
  const files = [join(folder, 'results.json')]
  await writeWhole(join(folder, 'results.json'), [`${JSON.stringify(resultsJson(results), undefined, 2)}\n`])
  if (results.figures !== undefined) {
    files.push(join(folder, 'throughput.svg'))
    await writeWhole(join(folder, 'throughput.svg'), [throughputSvg(results.run.name, results.figures)])
  }
  return store === undefined ? files : [...files, ...(await writeSamples(folder, results, store))]
}

async function writeSamples(folder: string, { run, judgement }: Results, store: Store): Promise<readonly string[]> {
  const files: string[] = []
  const names = namesOfFiles(run.asked.tasks.map(({ name }) => name))
  for (const [index, name] of names.entries()) {
    const file = join(folder, `samples_${name}.jsonl`)
    const lines = async function* () {
      for await (const sample of store.judgements.samples(run, judgement)) {
        if (sample.task !== index) continue
        yield `${JSON.stringify(sampleJson(run, await addRounds(store, run, sample)))}\n`
      }
    }
    await writeWhole(file, lines())
    files.push(file)
  }
  return files
}
