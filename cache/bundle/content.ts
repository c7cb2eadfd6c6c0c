/** Reduces a run to the content of a partial bundle: only its scores, or only what a judge needs. */
import { canonicalJson, isObject, type Json } from '../../base/values/canonical-json.js'
import { without } from '../../base/values/without.js'
import { numberIn, readScoreKey } from '../facts/sample-facts.js'
import type { ScoreBody } from '../records.js'
import type { ExportedRun, Table, VerdictRow } from './portable.js'

/**
 * The part of a run that a bundle holds. `scores`: numbers and outcomes of docs, without prompts, answers, targets or texts
 * that were extracted. `judge-inputs`: prompts, answers and targets, without any score.
 */
export const bundleContents = ['scores', 'judge-inputs'] as const
export type BundleContent = (typeof bundleContents)[number]

const emptyTable = async function* (): AsyncGenerator<never> {}

/** Leaves out of a run what its bundle must not hold. */
export function selectContent(run: ExportedRun, content: BundleContent | undefined): ExportedRun {
  if (content === undefined) return run
  const rest = without(run, 'judgeCalls', 'remarks')
  if (content === 'judge-inputs') return { ...rest, judgements: [] }
  return {
    ...rest,
    items: emptyTable,
    responses: emptyTable,
    failures: emptyTable,
    judgements: run.judgements.map(judgement => ({
      ...judgement,
      verdicts: mapTable(judgement.verdicts, row => withoutTexts(run, row)),
    })),
  }
}

const mapTable = <From, To>(table: Table<From>, map: (row: From) => To): Table<To> =>
  async function* () {
    for await (const rows of table()) yield rows.map(map)
  }

/** Digests of answers are left out as well, because a short answer can be guessed from its digest. */
function withoutTexts(run: ExportedRun, row: VerdictRow): VerdictRow {
  return {
    ...row,
    answers: null,
    revision: null,
    body: row.body === null ? null : canonicalJson(keepNumbers(run, row.task, JSON.parse(row.body) as ScoreBody)),
  }
}

/** A value may be the input of an aggregation, such as two texts, and a reason may quote the answer. */
function keepNumbers(run: ExportedRun, task: string, { values, failed, ...body }: ScoreBody): Json {
  const scoreKey = readScoreKey(run, task)
  const numbers = Object.entries(values).flatMap(([metric, value]): (readonly [string, Json])[] => {
    const number = numberIn(value, scoreKey)
    return number === undefined ? [] : [[metric, isObject(value) ? { [scoreKey]: number } : number]]
  })
  const failedNames = failed && Object.fromEntries(Object.keys(failed).map(name => [name, '']))
  const numericBody = {
    ...without(body, 'reason'),
    values: Object.fromEntries(numbers),
    extracted: {},
    ...(failedNames && { failed: failedNames }),
  }
  // The cast is safe because a score holds only JSON: interfaces lack the index signature that `Json` needs.
  return numericBody as object as Json
}
