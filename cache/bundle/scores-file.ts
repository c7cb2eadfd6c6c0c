import { PipelineError, messageOf } from '../../base/errors/errors.js'
import { codeKey, judgeConfigKey } from '../keys.js'
import type { Judgement, Run, ScoreBody } from '../records.js'
import type { Sample } from '../store.js'
import { unpackBundle } from './bundle-file.js'
import { sealedTables } from './parts/parts.js'
import type { PortableJudgement, VerdictRow } from './portable.js'

/** The newest scores of a bundle that holds scores alone. It is no run of a store. */
export interface ScoresFile {
  readonly run: Run
  readonly judgement: Judgement
  /** Reads the docs with their scores, without requests, answers and records. */
  readonly samples: () => AsyncIterable<Sample>
}

/**
 * Unpacks a bundle of scores alone into a folder, which must stay while the samples are read.
 *
 * @throws PipelineError (bundle) if the file is damaged, or no judgement in it was finished
 */
export async function openScoresFile(file: string, folder: string): Promise<ScoresFile> {
  const { manifest } = await unpackBundle(file, folder)
  const { id, name, asked, provenance, createdAt, judgements } = sealedTables(file, folder, manifest)
  const newest = judgements.findLast(({ aggregates }) => aggregates !== undefined)
  if (newest === undefined) throw new PipelineError('bundle', `${file}: no scores of ${name} are in it`)
  const run: Run = { ref: 0, id, name, asked, provenance, createdAt }
  return { run, judgement: makeJudgement(newest), samples: () => readSamples(file, run, newest) }
}

function makeJudgement({ number, tasks, createdAt, finishedAt, aggregates }: PortableJudgement): Judgement {
  return {
    ref: 0,
    run: 0,
    number,
    tasks: tasks.map(judging => ({
      judging,
      config: judgeConfigKey(judging.config).key,
      scorer: codeKey(judging.scorer).key,
    })),
    createdAt,
    ...(finishedAt !== undefined && { finishedAt }),
    ...(aggregates !== undefined && { aggregates }),
  }
}

async function* readSamples(source: string, run: Run, { verdicts }: PortableJudgement): AsyncGenerator<Sample> {
  const tasks = new Map(run.asked.tasks.map(({ name }, index) => [name, index]))
  for await (const rows of verdicts())
    for (const row of rows) {
      const task = tasks.get(row.task)
      if (task === undefined)
        throw new PipelineError('bundle', `${source}: the run has no task ${JSON.stringify(row.task)}`)
      const score = readScore(source, row)
      const record = { target: null, doc: {} }
      yield { task, index: row.doc_index, id: row.doc_id, record, items: [], ...(score && { score }) }
    }
}

function readScore(source: string, { doc_id: id, body }: VerdictRow): ScoreBody | undefined {
  if (body === null) return undefined
  try {
    return JSON.parse(body) as ScoreBody
  } catch (error) {
    throw new PipelineError('bundle', `${source}: the score of doc ${id} can't be read: ${messageOf(error)}`, {
      cause: error,
    })
  }
}
