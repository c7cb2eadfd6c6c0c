import { accessSync, constants, createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { PipelineError, messageOf } from '../../base/errors/errors.js'
import { makeFolder } from '../../cache/make-folder.js'
import type { Store } from '../../cache/store.js'
import { withRoundsOf } from '../model/kept-conversations.js'
import { resultsJson, type Results } from '../report/results/results-json.js'
import { sampleJson } from '../report/samples/sample-json.js'
import { throughputSvg } from '../report/throughput/throughput-svg.js'

/**
 * Creates the folder of results before work starts.
 *
 * @throws PipelineError if it is not writable
 */
export function makeResultFolder(dir: string): void {
  try {
    makeFolder(dir)
    accessSync(dir, constants.W_OK)
  } catch (error) {
    throw notWritten(dir, error)
  }
}

const notWritten = (dir: string, error: unknown): PipelineError =>
  new PipelineError('usage', `--output-path ${dir}: ${messageOf(error)}`, { cause: error })

/**
 * Writes `results.json`, `throughput.svg` and, with `store`, `samples_<task>.jsonl` into a folder with the run's name. Files are written atomically.
 *
 * @returns the folder
 * @throws PipelineError if it cannot be written
 */
export async function writeResultFiles(dir: string, results: Results, store: Store | undefined): Promise<string> {
  const folder = join(dir, results.run.name)
  try {
    makeFolder(folder)
    await writeWhole(join(folder, 'results.json'), [`${JSON.stringify(resultsJson(results), undefined, 2)}\n`])
    if (results.figures !== undefined)
      await writeWhole(join(folder, 'throughput.svg'), [throughputSvg(results.run.name, results.figures)])
    if (store !== undefined) await writeSamples(folder, results, store)
  } catch (error) {
    throw notWritten(dir, error)
  }
  return folder
}

async function writeSamples(folder: string, { run, judgement }: Results, store: Store): Promise<void> {
  for (const [index, { name }] of run.asked.tasks.entries()) {
    const file = join(folder, `samples_${name.replace(/[^\w.-]+/g, '_')}.jsonl`)
    const lines = async function* () {
      for await (const sample of store.judgements.samples(run, judgement)) {
        if (sample.task !== index) continue
        yield `${JSON.stringify(sampleJson(run, await withRoundsOf(store, run, sample)))}\n`
      }
    }
    await writeWhole(file, lines())
  }
}

async function writeWhole(file: string, content: Iterable<string> | AsyncIterable<string>): Promise<void> {
  const partial = `${file}.partial`
  await pipeline(content, createWriteStream(partial))
  await rename(partial, file)
}
